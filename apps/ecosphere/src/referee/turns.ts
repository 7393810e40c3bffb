/**
 * How many sections each process left while all of them were at work: from the first entry of the last to begin until
 * the last leave of the first to finish. The rest would say who started late, not who was served less.
 * @param logs as `SectionLog.times`
 */
export function turnsInCommon(logs: readonly Float64Array[]): number[] {
  const from = Math.max(...logs.map((log) => log.at(0) ?? Infinity));
  const until = Math.min(...logs.map((log) => log.at(-1) ?? -Infinity));
  return logs.map((log) => log.filter((time, at) => at % 2 === 1 && time > from && time <= until).length);
}
