import type { LockOptions } from 'bedrock-lock';
import type { Bounds } from 'bedrock-testkit';

/** With it a session of ZooKeeper lives 1.5 s and a lease of etcd 1 s: both serve leases of up to a second. */
export const LEASE_MS = 800;
/** The longest lease: what is left by a process that ends without a connection is gone soon. */
export const MAX_LEASE_MS = 1_000;
/** The longest that a server keeps what belongs to a process that is silent, at its defaults and at those of the tests. */
export const SESSION_MS = 1_500;
/** Bound on every call to a server. */
export const OPERATION_MS = 400;

export const LOCK: LockOptions = { leaseMs: LEASE_MS, waitMs: 2_500, fencing: true };

/** A release tries for one time-out, and one that was already under way may take another. */
export function boundsFor(operationMs: number): Bounds {
  return { releaseMs: 2 * operationMs + 100 };
}
