import { enginesSection } from './engines-section.js';
import { machineLine } from './machine.js';
import type { Report } from './report.js';
import { scenarioSection } from './scenario-section.js';

const BEGIN = '<!-- results: written by npm run bench -- --write-docs -->';
const END = '<!-- /results -->';

/** The page with the results of this run in place of the former ones. */
export function fillPage(page: string, report: Report): string {
  const { machine, results } = report;
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page has lost its markers ${BEGIN} and ${END}`);
  const sections = results.map(({ scenario, rows }) => scenarioSection(scenario, rows));
  const parts = [BEGIN, machineLine(machine), ...sections, enginesSection(report)];
  const content = parts.filter((part) => part !== '').join('\n\n');
  return `${page.slice(0, begin)}${content}\n\n${page.slice(end)}`;
}
