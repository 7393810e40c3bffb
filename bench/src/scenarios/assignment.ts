import type { LibraryName } from '../libraries/catalogue.js';
import type { Assignment } from '../contender/messages.js';
import type { RoleName } from '../roles/roles.js';
import type { BenchServers } from './scenario.js';

/** The same for all: a lease that nothing in the bench outlasts, and how often a library that polls asks again. */
export const LEASE_MS = 10_000;
export const POLL_MS = 10;

/** What differs from the same for all. */
interface AssignmentOptions {
  readonly leaseMs?: number;
  readonly pollMs?: number;
  readonly jitterMs?: number;
  readonly nodes?: readonly string[];
}

export function assignmentOf<O>(
  role: RoleName,
  library: LibraryName,
  { url }: BenchServers,
  order: O,
  { leaseMs = LEASE_MS, pollMs = POLL_MS, jitterMs = 0, nodes }: AssignmentOptions = {},
): Assignment {
  return { role, library, terms: { url, nodes, leaseMs, pollMs, jitterMs }, order };
}
