/**
 * Counts the sections that began before an earlier one had ended, over the logs of all processes. Sorted by entry, a
 * section overlaps exactly if it begins before the latest end so far.
 * @param logs [enter, leave, enter, leave, …] each, as `SectionLog.times`
 */
export function countOverlaps(logs: readonly Float64Array[]): number {
  const sections = logs.flatMap((log) =>
    Array.from({ length: log.length / 2 }, (_, i) => [log[2 * i]!, log[2 * i + 1]!] as const),
  );
  sections.sort(([one], [other]) => one - other);
  let overlaps = 0;
  let latestEnd = -Infinity;
  for (const [entered, left] of sections) {
    if (entered < latestEnd) overlaps += 1;
    latestEnd = Math.max(latestEnd, left);
  }
  return overlaps;
}
