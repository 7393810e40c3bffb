/** The spread of a set of figures. */
export interface Spread {
  readonly min: number;
  readonly average: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Percentiles by nearest rank. All are 0 without figures. */
export function spreadOf(figures: Iterable<number>): Spread {
  const sorted = Float64Array.from(figures).sort();
  if (sorted.length === 0) return { min: 0, average: 0, p50: 0, p99: 0, max: 0 };
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  const average = sorted.reduce((sum, figure) => sum + figure, 0) / sorted.length;
  return { min: sorted[0]!, average, p50: rank(0.5), p99: rank(0.99), max: rank(1) };
}

/**
 * Jain's fairness index: 1 when all have the same, 1/n when one of n has everything.
 * R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness, DEC TR-301, 1984.
 */
export function jainIndex(shares: Iterable<number>): number {
  let parties = 0;
  let sum = 0;
  let squares = 0;
  for (const share of shares) {
    parties += 1;
    sum += share;
    squares += share * share;
  }
  return squares === 0 ? 1 : (sum * sum) / (parties * squares);
}
