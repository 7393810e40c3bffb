const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 10000 → 10,000 */
export function count(value: number): string {
  return grouped.format(value);
}

/** A ratio or an average: 3.333 → 3.33 */
export function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : '-';
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** About three digits, in the fitting unit: 0.0123 → 12.3 µs, 12.3 → 12.3 ms, 12345 → 12.35 s */
export function duration(ms: number): string {
  if (ms >= 10_000) return seconds(ms);
  if (ms >= 1) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  const us = ms * 1_000;
  return `${us.toFixed(us < 10 ? 1 : 0)} µs`;
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}
