/** The middle figure, or the mean of the two in the middle. NaN without figures. */
export function median(figures: Iterable<number>): number {
  const sorted = Float64Array.from(figures).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** A percentile by nearest rank, so that it is a measured value. NaN without figures. */
export function percentile(figures: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(figures).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/**
 * Jain's fairness index: 1 when all have the same, 1/n when one of n has everything.
 * R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness, DEC TR-301, 1984.
 */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? NaN : (sum * sum) / (shares.length * squares);
}
