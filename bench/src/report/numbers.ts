const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 43400.2 → 43,400 */
export function count(value: number): string {
  return Number.isFinite(value) ? grouped.format(value) : '-';
}

/** Formats with this number of decimals. */
export function decimals(digits: number): (value: number) => string {
  return (value) => (Number.isFinite(value) ? value.toFixed(digits) : '-');
}

/** Three digits, or two for a small number: 1.07, 53.2, 123, 0.0031 */
export function threeDigits(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 1_000) return count(value);
  if (value < 0.1) return String(Number(value.toPrecision(2)));
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
