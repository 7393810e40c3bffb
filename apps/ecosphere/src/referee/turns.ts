/**
 * Sections that each process left while all processes were at work: from the first entry of the last to begin, to the
 * last exit of the first to finish. Sections outside this span would show late starts, not unfairness.
 * @param logs as `SectionLog.times`
 */
export function turnsInCommon(logs: readonly Float64Array[]): number[] {
  const from = Math.max(...logs.map((log) => log.at(0) ?? Infinity));
  const until = Math.min(...logs.map((log) => log.at(-1) ?? -Infinity));
  return logs.map((log) => log.filter((time, at) => at % 2 === 1 && time > from && time <= until).length);
}
