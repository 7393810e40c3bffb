import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  faultsOfQueueTiming,
  pauseBeforeSignMs,
  QUEUE_TIMING,
  type QueueTiming,
} from '../../../libs/lock/src/core/queue-timing.js';
import { scripts } from '../../../libs/lock/src/backends/redis/protocol/scripts.generated.js';

const SCRIPTS = 'libs/lock/src/backends/redis/scripts';

describe('the times of a queue of waiters', () => {
  it('hold all that binds them', () => {
    expect(faultsOfQueueTiming(QUEUE_TIMING)).toEqual([]);
  });

  it.each<[string, Partial<QueueTiming>, string]>([
    [
      'a sweep that is as slow as a head lives',
      { sweepMostMs: 1_000 },
      'a head that lives would count as dead',
    ],
    ['a sweep without jitter', { sweepLeastMs: 900 }, 'no jitter'],
    [
      'a sign before the end of a lease that is no fresher than the sweep',
      { signBeforeEndMs: 600 },
      'no fresher at the end of a lease',
    ],
    ['an entry that is silent for less than a sweep', { entrySilenceMs: 900 }, 'still waits'],
    ['a row that forgets a head that lives', { rowEntryLifeMs: 1_000 }, 'a row would drop a head'],
    ['a queue that ends before its head', { queueLifeMs: 1_000 }, 'a queue would end'],
    [
      'a queue of callers that is shorter than Redisson waits',
      { fairQueueLifeMs: 300_000 },
      'one of Redisson',
    ],
    ['a head that lives for too long', { headLifeMs: 1_200, sweepMostMs: 900 }, 'headLifeMs is over 1000 ms'],
    ['a grant without asking that lasts for too long', { pushedLeaseMs: 1_001 }, 'pushedLeaseMs is over'],
    ['a time that is no number', { headLifeMs: NaN }, 'sweepMostMs is not less than headLifeMs'],
  ])('refuse %s', (_what, change, reason) => {
    expect(faultsOfQueueTiming({ ...QUEUE_TIMING, ...change }).join('\n')).toContain(reason);
  });

  it('stand in no script as a number, and in the embedded ones as what they are', () => {
    const names = readdirSync(SCRIPTS).filter((name) => name.endsWith('.lua'));
    const literals = names.filter((name) =>
      /local (HEAD_LIFE|PUSHED_LEASE|WAIT|QUEUE_TTL)_MS = ['\d]/.test(
        readFileSync(join(SCRIPTS, name), 'utf8'),
      ),
    );
    expect(literals).toEqual([]);
    expect(scripts.claimN.source).toContain('local HEAD_LIFE_MS = 1000\n');
    expect(scripts.claimN.source).toContain("local QUEUE_TTL_MS = '10000'\n");
    expect(scripts.fairClaimN.source).toContain("local QUEUE_TTL_MS = '3600000'\n");
  });

  it.each([
    [20_000, 19_340],
    [660, 330],
    // Early by a timer, and late by a request.
    [331, 331],
    [640, 310],
    [1, 1],
    [Infinity, Infinity],
  ])('make a waiter pause, %s ms before the end of a lease, for %s ms', (endsInMs, pauseMs) => {
    expect(pauseBeforeSignMs(endsInMs)).toBe(pauseMs);
  });

  it('keep the turn of a waiter that stands still for less than 0.6 s at the end of a lease', () => {
    for (let endsInMs = 1; endsInMs < 3_000; endsInMs += 1) {
      const pauseMs = pauseBeforeSignMs(endsInMs);
      // The next sign is missed, and the process stands still until it counts as dead, and until the lease has ended.
      const standsStillMs = Math.max(QUEUE_TIMING.headLifeMs - pauseMs, endsInMs - pauseMs);
      expect(standsStillMs).toBeGreaterThan(600);
    }
  });
});
