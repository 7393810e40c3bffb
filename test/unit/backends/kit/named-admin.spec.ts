import type { HeldResource } from 'bedrock-lock/backend';
import { MUTEX } from 'bedrock-lock/backend';
import { systemClock } from 'bedrock-lock/integration';
import {
  NamedAdmin,
  namesPageOf,
  type LockNames,
} from '../../../../libs/lock/src/backends/kit/named-admin.js';

/** What a page takes, in ms. */
const PAGE_MS = 10;

describe('a list of processes by the locks that they hold', () => {
  it.each([
    [900, 0],
    [2_500, 2],
  ])('pauses after each page of %d locks but the last, for 32 times its duration', async (count, pauses) => {
    const names = Array.from({ length: count }, (_, i) => `lock-${i}`);
    let now = 0;
    const slept: number[] = [];
    const clock = {
      ...systemClock,
      now: () => now,
      setTimer: (act: () => void, ms: number) => {
        slept.push(ms);
        return systemClock.setTimer(act, 0);
      },
    };
    const locks: LockNames = {
      names: async (request) => {
        now += PAGE_MS;
        return namesPageOf(names, request);
      },
      find: async (resource) => [heldBy(resource)],
    };
    const found = await new NamedAdmin(locks, clock).processes();
    expect(found).toEqual([{ id: 'process', host: 'shop-3', pid: 4711 }]);
    expect(slept).toEqual(Array.from({ length: pauses }, () => 32 * PAGE_MS));
  });
});

function heldBy(resource: string): HeldResource {
  const process = { host: 'shop-3', pid: 4711 };
  const grant = { mode: 'exclusive', units: 1, depth: 1, revoked: false, remainingMs: 1_000 } as const;
  return { resource, shape: MUTEX, waiters: 0, holders: [{ ...grant, id: 'process:1', resource, process }] };
}
