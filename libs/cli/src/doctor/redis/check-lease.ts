import { ok, problem, type Finding } from '../findings/finding.js';
import type { RedisServer } from './redis-server.js';

/** The keys of the guard, as docs/backends/redis.md has them. */
const GUARD_KEY = 'bedrock_guard';
const GUARD_LEASE_KEY = 'bedrock_guard_lease';

/** What a server knows of the guard. */
export interface Guard {
  /** A process with restartGuard, or of a combination, has been here. */
  readonly isSet: boolean;
  /** What those of the last minute use, in ms. */
  readonly maxLeaseMs: number | undefined;
}

export async function readGuard(server: RedisServer): Promise<Guard> {
  const [run, lease] = await Promise.all(
    [GUARD_KEY, GUARD_LEASE_KEY].map((key) => server.callIfAllowed('get', key)),
  );
  return {
    isSet: typeof run === 'string',
    maxLeaseMs: typeof lease === 'string' ? Number(lease) : undefined,
  };
}

/** All processes with a guard must agree on the longest lease. @param ownMs undefined without a guard here */
export function checkLease({ isSet, maxLeaseMs }: Guard, ownMs: number | undefined): Finding | undefined {
  if (ownMs === undefined)
    return isSet
      ? problem(
          'lease',
          'applications use restartGuard here: it must be set in all of them, and --restart-guard given to this command',
        )
      : undefined;
  if (maxLeaseMs === undefined || maxLeaseMs === ownMs)
    return ok(
      'lease',
      `maxLeaseMs is ${ownMs} here${maxLeaseMs === undefined ? '' : ' and in the processes at work'}`,
    );
  return problem(
    'lease',
    `maxLeaseMs is ${ownMs} here, and ${maxLeaseMs} in the processes at work: it must be the same in all`,
  );
}
