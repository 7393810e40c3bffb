import { titleOf } from '../libraries/catalogue.js';
import type { Row } from '../scenarios/run-scenario.js';
import type { Column, Scenario } from '../scenarios/scenario.js';
import { costOfParts } from './cost-of-parts.js';
import { markdownTable } from './markdown-table.js';
import { threeDigits } from './numbers.js';
import { verdictsOf, type Verdict } from './verdict.js';

/** The results of a scenario in Markdown: a heading, the table, and the comparison with Bedrock's targets. */
export function scenarioSection(scenario: Scenario, rows: readonly Row[]): string {
  const { name, title, columns, targets } = scenario;
  const head = ['library', ...columns.map((column) => column.head), '× raw'];
  const lines = rows.map((row) => [titleOf(row.library), ...cellsOf(row, columns)]);
  const failures = rows.flatMap(({ library, failure }) =>
    failure === undefined ? [] : [`${titleOf(library)} could not run: ${oneLine(failure)}`],
  );
  const notes = [...verdictsOf(targets, rows).map((verdict) => verdictLine(verdict, scenario)), ...failures];
  const list = notes.map((note) => `- ${note}`).join('\n');
  const parts = name === 'S1' ? costOfParts(rows) : '';
  const blocks = [`### ${name}: ${title}`, markdownTable(head, lines), list, parts];
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** One line: `reached: Bedrock × raw 1.08, at most 1.15`. */
export function verdictLine({ target, value, isReached }: Verdict, scenario: Scenario): string {
  const column = scenario.columns.find(({ figure }) => figure === target.figure);
  const show = column?.show ?? threeDigits;
  const bounds = [
    ...(target.atLeast === undefined ? [] : [`at least ${show(target.atLeast)}`]),
    ...(target.atMost === undefined ? [] : [`at most ${show(target.atMost)}`]),
  ];
  const what = `${titleOf(target.library)}, ${column?.head ?? '× raw'}`;
  const found = value === undefined ? 'not measured' : show(value);
  return `${isReached ? 'reached' : 'MISSED'}: ${what} ${found} (${bounds.join(', ')})`;
}

function cellsOf({ figures, ratioToRaw, failure }: Row, columns: readonly Column[]): string[] {
  const cells = columns.map(({ figure, show }) => (figure in figures ? show(figures[figure]!) : '-'));
  if (failure !== undefined && Object.keys(figures).length === 0) return [...cells.map(() => '-'), 'failed'];
  return [...cells, ratioToRaw === undefined ? '-' : threeDigits(ratioToRaw)];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
