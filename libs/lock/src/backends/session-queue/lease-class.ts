/**
 * Lengths of leases that share a session, in ms: few sessions for a process, and a short lease is
 * not kept alive for long.
 */
const LEASE_CLASSES_MS = [500, 1_000, 1_500, 2_000, 4_000, 8_000, 16_000, 30_000];

/** The length that a lease is rounded up to; above the longest class each `maxLeaseMs` has one of its own. */
export function leaseClassFor(leaseMs: number, maxLeaseMs: number): number {
  const fitting = LEASE_CLASSES_MS.find((length) => leaseMs <= length && length < maxLeaseMs);
  return fitting ?? maxLeaseMs;
}
