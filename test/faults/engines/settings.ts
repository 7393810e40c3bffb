import type { LockOptions } from 'bedrock-lock';
import type { HistoryLimits } from 'bedrock-testkit';

/** With it a session of ZooKeeper lives 1.5 s and a lease of etcd 1 s: both serve leases of up to a second. */
export const LEASE_MS = 800;
/** The longest that a server keeps what belongs to a process that is silent, at its defaults and at those of the tests. */
export const SESSION_MS = 1_500;
/** Bound on every call to a server. */
export const OPERATION_MS = 400;

/** What the processes ask for. */
export function lockOf(leaseMs: number, waitMs = leaseMs + 1_700): LockOptions {
  return { leaseMs, waitMs, fencing: true };
}

/** For faults that may cost no lease: a server or a process may stand still for a second and a half by itself. */
export const CALM = { leaseMs: 2_500, operationMs: 800, waitMs: 7_500 } as const;

/** The longest lease in the options of the backends: the grants of a disconnected process end soon. */
export function maxLeaseFor(leaseMs: number): number {
  return leaseMs + 200;
}

/** A release tries for one time-out, and a release already in flight may take another. */
export function limitsFor(operationMs: number): HistoryLimits {
  return { releaseMs: 2 * operationMs + 100 };
}
