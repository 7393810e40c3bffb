import { ENGINE_TITLES } from '../engines/engines.js';
import { engineLines, type Pair } from './engine-lines.js';
import { markdownTable } from './markdown-table.js';
import { count, decimals, threeDigits } from './numbers.js';
import type { Report } from './report.js';

const HEAD = [
  'engine',
  'alone: cycle p50, µs',
  '× raw',
  '100 tasks of a process: cycles/s',
  '× raw',
  '100 callers of 4 processes: cycles/s',
  '× raw',
  'requests per release',
  'longest wait, ms',
];

/** Comparison of the engines from E1 to E3: a table, and the place of the chart. Empty if none was run. */
export function enginesSection({ results, engines }: Report): string {
  const lines = engineLines(results);
  if (lines.length === 0) return '';
  const rows = lines.map(({ engine, alone, inProcess, betweenProcesses }) => [
    ENGINE_TITLES[engine],
    shown(alone, 'p50Us', decimals(0)),
    ratioOf(alone),
    shown(inProcess, 'cyclesPerS', count),
    ratioOf(inProcess),
    shown(betweenProcesses, 'cyclesPerS', count),
    ratioOf(betweenProcesses),
    shown(betweenProcesses, 'commandsPerCycle', decimals(2)),
    shown(betweenProcesses, 'longestWaitMs', count),
  ]);
  return [
    '### Engines: Bedrock on each of them, from E1, E2 and E3',
    markdownTable(HEAD, rows),
    '![Bedrock and the raw calls on each engine](../images/engines.svg)',
    `${engines.join('; ')}.`,
  ].join('\n\n');
}

function shown(pair: Pair | undefined, figure: string, show: (value: number) => string): string {
  return show(pair?.bedrock.figures[figure] ?? NaN);
}

function ratioOf(pair: Pair | undefined): string {
  return threeDigits(pair?.bedrock.ratioToRaw ?? NaN);
}
