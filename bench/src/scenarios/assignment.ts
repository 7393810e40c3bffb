import type { LibraryName } from '../libraries/catalogue.js';
import type { Assignment } from '../contender/messages.js';
import type { RoleName } from '../roles/roles.js';
import type { BenchServers } from './scenario.js';

/** Defaults of all libraries: a lease longer than any turn, and the interval at which a polling library retries. */
export const LEASE_MS = 10_000;
export const POLL_MS = 10;

/** Deviations from the defaults. */
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
