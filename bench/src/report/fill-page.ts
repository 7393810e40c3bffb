import { machineLine } from './machine.js';
import type { Report } from './report.js';
import { scenarioSection } from './scenario-section.js';

const BEGIN = '<!-- results: written by npm run bench -- --write-docs -->';
const END = '<!-- /results -->';

/** The page with the results of this run in place of the former ones. */
export function fillPage(page: string, { machine, results }: Report): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`the page has lost its marks, ${BEGIN} and ${END}`);
  const sections = results.map(({ scenario, rows }) => scenarioSection(scenario, rows));
  const content = [BEGIN, machineLine(machine), ...sections].join('\n\n');
  return `${page.slice(0, begin)}${content}\n\n${page.slice(end)}`;
}
