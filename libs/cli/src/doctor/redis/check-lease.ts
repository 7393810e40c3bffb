import { note, ok, problem, type Finding } from '../findings/finding.js';
import type { RedisServer } from './redis-server.js';
import type { Purpose } from './settings-checks.js';

/** The keys of the guard, as docs/backends/redis.md has them. */
const GUARD_KEY = 'bedrock_guard';
const GUARD_LEASE_KEY = 'bedrock_guard_lease';

/** What a server knows of the guard. */
export interface GuardState {
  /** A process with restartGuard, or of a combination, has been here. */
  readonly isSet: boolean;
  /** What those of the last minute use, in ms. */
  readonly maxLeaseMs: number | undefined;
}

export async function readGuard(server: RedisServer): Promise<GuardState> {
  const [run, lease] = await Promise.all(
    [GUARD_KEY, GUARD_LEASE_KEY].map((key) => server.callIfAllowed('get', key)),
  );
  return {
    isSet: typeof run === 'string',
    maxLeaseMs: typeof lease === 'string' ? Number(lease) : undefined,
  };
}

/**
 * All processes with a guard must agree on the longest lease. The key of the guard never expires; that of the lease shows processes of the
 * last minute. Those of a combination do not write it. @param ownMs undefined without a guard here
 */
export function checkLease(
  { isSet, maxLeaseMs }: GuardState,
  ownMs: number | undefined,
  purpose: Purpose,
): Finding | undefined {
  if (ownMs === undefined) {
    if (maxLeaseMs !== undefined)
      return problem(
        'lease',
        'running processes use restartGuard: set it in all applications, and give --restart-guard here',
      );
    if (!isSet) return undefined;
    return note(
      'lease',
      'a process with restartGuard, or of a combination, has used this server: if applications still do, give --restart-guard',
    );
  }
  if (maxLeaseMs === undefined && purpose === 'node') return undefined;
  if (maxLeaseMs === undefined)
    return note(
      'lease',
      'no process with a guard was here within a minute: no lock is taken, which would begin the guard',
    );
  if (maxLeaseMs === ownMs) return ok('lease', `maxLeaseMs is ${ownMs} here and in the running processes`);
  return problem(
    'lease',
    `maxLeaseMs is ${ownMs} here, and ${maxLeaseMs} in the running processes: it must be the same in all`,
  );
}
