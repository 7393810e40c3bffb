import type { LibraryName } from '../libraries/catalogue.js';
import type { Row } from '../scenarios/run-scenario.js';
import { markdownTable } from './markdown-table.js';
import { decimals } from './numbers.js';

/** Each part, the row with it, and the row without it. */
const PARTS: readonly (readonly [part: string, row: LibraryName, without: LibraryName])[] = [
  ['two scripts in the RLock format instead of `SET NX PX` and one script', 'raw-scripts', 'raw'],
  ['queues, batches, frames, keeper, the order of processes', 'bedrock-no-tokens', 'raw-scripts'],
  ['fencing tokens', 'bedrock', 'bedrock-no-tokens'],
  ['`restartGuard`', 'bedrock-guarded', 'bedrock'],
  ['`run` instead of `acquire` and `release`', 'bedrock-run', 'bedrock'],
];

/** The cost of each part in a cycle of S1, for the measured rows. Empty if none was measured. */
export function costOfParts(rows: readonly Row[]): string {
  const p50 = (library: LibraryName): number =>
    rows.find((row) => row.library === library)?.figures['p50Us'] ?? NaN;
  const signed = (us: number): string => `${us < 0 ? '−' : '+'}${decimals(1)(Math.abs(us))}`;
  const lines = PARTS.map(([part, row, without]) => ({ part, us: p50(row) - p50(without) }))
    .filter(({ us }) => Number.isFinite(us))
    .map(({ part, us }) => [part, signed(us), decimals(2)(us / p50('raw'))]);
  if (lines.length === 0) return '';
  return markdownTable(['part of a cycle', 'p50, µs', 'of raw'], lines);
}
