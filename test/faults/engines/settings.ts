import type { LockOptions } from 'bedrock-lock';
import type { HistoryLimits } from 'bedrock-testkit';

/** With it a session of ZooKeeper lives 1.5 s and a lease of etcd 1 s: both serve leases of up to a second. */
export const LEASE_MS = 800;
/** The longest that a server keeps what belongs to a process that is silent, at its defaults and at those of the tests. */
export const SESSION_MS = 1_500;
/** Bound on every call to a server. */
export const OPERATION_MS = 400;

/** What the processes ask for. */
export function lockOf(leaseMs: number): LockOptions {
  return { leaseMs, waitMs: leaseMs + 1_700, fencing: true };
}

/** The longest lease in the options of the backends: the grants of a disconnected process end soon. */
export function maxLeaseFor(leaseMs: number): number {
  return leaseMs + 200;
}

/** A release tries for one time-out, and a release already in flight may take another. */
export function limitsFor(operationMs: number): HistoryLimits {
  return { releaseMs: 2 * operationMs + 100 };
}
