import { enginesSection } from './engines-section.js';
import { machineLine } from './machine.js';
import type { Report } from './report.js';
import { scenarioSection } from './scenario-section.js';

/** The pages with results, in docs/performance. The first mark of each names its scenarios, in any order. */
export const RESULT_PAGES = ['README.md', 'several-nodes.md', 'primitives.md', 'engines.md'] as const;

/** Names scenarios, and `engines` for their comparison. */
const BEGIN = /<!-- results of ([\w, -]+): written by npm run bench -- --write-docs -->/;
const END = '<!-- /results -->';

/** The page with the results of this run in place of the former ones: those that its mark names. */
export function fillPage(page: string, report: Report): string {
  const begin = BEGIN.exec(page);
  const end = page.indexOf(END);
  if (begin === null || end < begin.index) {
    throw new Error(`the page has lost its markers ${BEGIN.source} and ${END}`);
  }
  const { 0: mark, 1: list = '', index } = begin;
  const names = list.split(', ');
  const sections = report.results
    .filter(({ scenario }) => names.includes(scenario.name))
    .map(({ scenario, rows }) => scenarioSection(scenario, rows));
  const comparison = names.includes('engines') ? enginesSection(report) : '';
  const parts = [mark, machineLine(report.machine), ...sections, comparison];
  const content = parts.filter((part) => part !== '').join('\n\n');
  return `${page.slice(0, index)}${content}\n\n${page.slice(end)}`;
}
