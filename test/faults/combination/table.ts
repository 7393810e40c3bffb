import type { CellResult } from './cell.js';

const HEAD = [
  'fault',
  'nodes',
  'injections',
  'cycles',
  'lost leases',
  'failed calls',
  'longest hand-over',
  'violations',
];

/** The results as a table of Markdown. */
export function tableOf(results: readonly CellResult[]): string {
  const lines = [HEAD, HEAD.map((_, i) => (i === 0 || i === 5 ? '---' : '---:')), ...results.map(rowOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

export function rowOf({ plan, report, violations }: CellResult): string[] {
  const failures = Object.entries(report.failures).map(([code, count]) => `${count} ${code}`);
  return [
    plan.fault.name,
    String(plan.nodes),
    String(plan.injections),
    String(report.leases),
    String(report.lost),
    failures.join(', ') || '0',
    `${Math.round(report.handOverMs.max)} ms`,
    String(violations.length),
  ];
}
