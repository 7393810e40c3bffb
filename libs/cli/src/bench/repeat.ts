/** How often something was done, and how long each time took. */
export interface Figures {
  readonly what: string;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Not counted: connections, scripts and code have to warm up. */
const WARM_UP_MS = 300;

/**
 * Lets callers do something again and again, all at the same time.
 * @param callers what each of them does, once
 */
export async function repeat(
  what: string,
  durationMs: number,
  callers: readonly (() => Promise<void>)[],
): Promise<Figures> {
  const beginsAt = performance.now() + WARM_UP_MS;
  const endsAt = beginsAt + durationMs;
  const times: number[] = [];
  let lastEnd = beginsAt;
  await Promise.all(
    callers.map(async (act) => {
      let startedAt = performance.now();
      // Each caller is counted at least once, however slow it is.
      for (let counted = 0; startedAt < endsAt || counted === 0; startedAt = performance.now()) {
        await act();
        if (startedAt < beginsAt) continue;
        counted += 1;
        lastEnd = performance.now();
        times.push(lastEnd - startedAt);
      }
    }),
  );
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return {
    what,
    perSecond: times.length / ((lastEnd - beginsAt) / 1_000),
    medianMs: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
  };
}
