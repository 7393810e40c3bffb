import type { LockOptions } from 'bedrock-lock';
import type { CombinationOptions } from 'bedrock-lock/combination';
import type { HistoryLimits } from 'bedrock-testkit';

/** The longest lease: so long a node that may have lost grants gives none. The same in all processes. */
export const MAX_LEASE_MS = 1_000;
/** Nodes that have lost data serve again: a quarantine begins when they are asked first, which may take some time. */
export const QUARANTINE_MS = MAX_LEASE_MS + 250;
export const LEASE_MS = 800;
export const NODE_TIMEOUT_MS = 60;

/** What a call waits for the lock. */
const WAIT_MS = 2_500;

/** The nodes have been primed, so that a process that starts later trusts none that has forgotten. */
export const COMBINATION_OPTIONS: Omit<CombinationOptions, 'nodes'> = {
  nodeTimeoutMs: NODE_TIMEOUT_MS,
  maxLeaseMs: MAX_LEASE_MS,
  fencing: true,
  coldStart: 'wait',
  probe: { firstMs: 25, lastMs: 100 },
};

export const LOCK_OPTIONS: LockOptions = { leaseMs: LEASE_MS, waitMs: WAIT_MS, fencing: true };

/** A release tries for one time-out of the combination, and a release already in flight may take another. */
export function limitsFor(nodes: number): HistoryLimits {
  const attemptMs = nodes * NODE_TIMEOUT_MS + 100;
  return { releaseMs: 2 * (attemptMs + 2 * NODE_TIMEOUT_MS) + 100 };
}
