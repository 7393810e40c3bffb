/** A time for people: `340 ms`, `2.5 s`, `12 min`. @param ms a time, or Infinity */
export function durationText(ms: number): string {
  if (ms === Infinity) return 'for ever';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  return `${Math.round(ms / 60_000)} min`;
}
