import { median } from './statistics.js';

type Round = Readonly<Record<string, number>> | undefined;

/**
 * The median of the ratios to a reference in the same round: a slow phase of the machine that lasts a round cancels
 * out. Undefined if no round has both.
 */
export function medianRatio(
  rounds: readonly Round[],
  reference: readonly Round[],
  figure: string,
): number | undefined {
  const ratios = rounds
    .map((figures, round) => (figures?.[figure] ?? NaN) / (reference[round]?.[figure] ?? NaN))
    .filter((ratio) => Number.isFinite(ratio));
  return ratios.length === 0 ? undefined : median(ratios);
}
