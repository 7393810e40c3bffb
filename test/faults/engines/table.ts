import type { CellResult } from './cell.js';

const HEAD = ['fault', 'injections', 'cycles', 'losses told', 'failed calls', 'longest gap', 'violations'];

/** The results as a table of Markdown. */
export function tableOf(results: readonly CellResult[]): string {
  const lines = [HEAD, HEAD.map((_, i) => (i === 0 || i === 4 ? '---' : '---:')), ...results.map(rowOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function rowOf({ fault, injections, record, report, gapMs, violations }: CellResult): string[] {
  const failures = Object.entries(report.failures).map(([code, count]) => `${count} ${code}`);
  const told = record.history.filter(({ kind }) => kind === 'lost').length;
  return [
    fault,
    String(injections),
    String(report.leases),
    String(told),
    failures.join(', ') || '0',
    `${Math.round(gapMs)} ms`,
    String(violations.length),
  ];
}
