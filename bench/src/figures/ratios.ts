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
  return medianOf(rounds, reference, figure, (one, other) => one / other);
}

/** As `medianRatio()`: the median of the differences. */
export function medianDifference(
  rounds: readonly Round[],
  reference: readonly Round[],
  figure: string,
): number | undefined {
  return medianOf(rounds, reference, figure, (one, other) => one - other);
}

function medianOf(
  rounds: readonly Round[],
  reference: readonly Round[],
  figure: string,
  compare: (one: number, other: number) => number,
): number | undefined {
  const values = rounds
    .map((figures, round) => compare(figures?.[figure] ?? NaN, reference[round]?.[figure] ?? NaN))
    .filter((value) => Number.isFinite(value));
  return values.length === 0 ? undefined : median(values);
}
