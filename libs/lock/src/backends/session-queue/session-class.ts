/** Lengths of leases that share a session, in ms: few sessions for a process, and a short lease is not kept alive for long. */
const CLASSES_MS = [500, 1_000, 1_500, 2_000, 4_000, 8_000, 16_000, 30_000];

/** The length that a lease is rounded up to; above the longest class each `maxLeaseMs` has one of its own. */
export function classOf(leaseMs: number, maxLeaseMs: number): number {
  const fitting = CLASSES_MS.find((length) => leaseMs <= length && length < maxLeaseMs);
  return fitting ?? maxLeaseMs;
}
