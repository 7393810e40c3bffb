import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Bedrock, Lock } from 'bedrock-lock';
import type { JavaThread } from '../java-thread.js';
import { LONG_MS, type Site } from '../site.js';

const HASH = 'a mutex or another hash';
const READ_WRITE = 'a read-write lock';
const OTHER = 'another type of key';

type Group = 'a mutex, fair or not' | 'a read-write lock' | 'a latch or a semaphore';

/** What a name may stand for in Java, and how Bedrock calls that where it wants something else. */
const OF_JAVA: readonly {
  readonly type: string;
  readonly use: (java: JavaThread, name: string) => Promise<unknown>;
  readonly details: Partial<Record<Group, string>>;
}[] = [
  ...(['lock', 'fair'] as const).map((kind) => ({
    type: kind === 'lock' ? 'an RLock' : 'an RFairLock',
    use: (java: JavaThread, name: string) => java.lock(name, kind).lock(LONG_MS),
    details: { 'a read-write lock': HASH, 'a latch or a semaphore': OTHER },
  })),
  ...(['read', 'write'] as const).map((side) => ({
    type: `the ${side} lock of an RReadWriteLock`,
    use: (java: JavaThread, name: string) => java.lock(name, side).lock(LONG_MS),
    details: { 'a mutex, fair or not': READ_WRITE, 'a latch or a semaphore': OTHER },
  })),
  ...[
    {
      type: 'an RSemaphore',
      use: (java: JavaThread, name: string) => java.semaphore(name).trySetPermits(3),
    },
    {
      type: 'an RPermitExpirableSemaphore',
      use: (java: JavaThread, name: string) => java.expirableSemaphore(name).trySetPermits(3),
    },
    { type: 'an RCountDownLatch', use: (java: JavaThread, name: string) => java.latch(name).trySetCount(3) },
  ].map((one) => ({ ...one, details: { 'a mutex, fair or not': OTHER, 'a read-write lock': OTHER } })),
];

/** The verbs of one type of Bedrock that ask about a name. */
interface Asking {
  readonly group: Group;
  readonly verbs: readonly ((bedrock: Bedrock, name: string) => Promise<unknown>)[];
}

function locking(group: Group, of: (bedrock: Bedrock, name: string) => Lock): Asking {
  const verbs = (['acquire', 'tryAcquire', 'forceRelease', 'revoke'] as const).map(
    (verb) => (bedrock: Bedrock, name: string) => of(bedrock, name)[verb](),
  );
  return { group, verbs };
}

const OF_BEDROCK: readonly Asking[] = [
  locking('a mutex, fair or not', (bedrock, name) => bedrock.mutex(name)),
  locking('a mutex, fair or not', (bedrock, name) => bedrock.fairMutex(name)),
  locking('a read-write lock', (bedrock, name) => bedrock.readWriteLock(name).read),
  locking('a read-write lock', (bedrock, name) => bedrock.readWriteLock(name).write),
  {
    group: 'a latch or a semaphore',
    verbs: [
      (bedrock, name) => bedrock.countdownLatch(name).trySetCount(2),
      (bedrock, name) => bedrock.countdownLatch(name).countDown(),
      (bedrock, name) => bedrock.countdownLatch(name).await(),
    ],
  },
  {
    group: 'a latch or a semaphore',
    verbs: [
      (bedrock, name) => bedrock.countingSemaphore(name).trySetPermits(2),
      (bedrock, name) => bedrock.countingSemaphore(name).acquire(),
      (bedrock, name) => bedrock.countingSemaphore(name).release(),
    ],
  },
  {
    group: 'a latch or a semaphore',
    verbs: [
      (bedrock, name) => bedrock.expirableSemaphore(name).trySetPermits(2),
      (bedrock, name) => bedrock.expirableSemaphore(name).acquire(),
    ],
  },
];

export function typesCases(version: string, openSite: () => Site): void {
  describe(`a name that Redisson ${version} uses for something else`, () => {
    let site: Site;
    /** One for each of `OF_BEDROCK`: within a Bedrock a name is of one type. */
    let bedrocks: readonly Bedrock[];

    beforeAll(async () => {
      site = openSite();
      bedrocks = await Promise.all(OF_BEDROCK.map(() => site.bedrock()));
    });
    afterAll(() => site?.clean());

    describe.each(OF_JAVA)('$type', ({ use, details }) => {
      it.each(Object.entries(details))(
        'is refused to %s at once, with an error that says so, and left as it was',
        async (wanted, detail) => {
          const name = site.freshName();
          await use(site.thread(), name);
          const before = await site.admin.dump(name);
          for (const [i, { group, verbs }] of OF_BEDROCK.entries()) {
            if (group !== wanted) continue;
            for (const verb of verbs) {
              const refusal = { code: 'LOCK_TYPE_MISMATCH', resource: name, detail };
              await expect(verb(bedrocks[i]!, name)).rejects.toMatchObject(refusal);
            }
          }
          await expect(site.admin.dump(name)).resolves.toEqual(before);
        },
      );
    });

    const HELD: readonly [string, (bedrock: Bedrock, name: string) => Lock][] = [
      ['a mutex', (bedrock, name) => bedrock.mutex(name)],
      ['a fair mutex', (bedrock, name) => bedrock.fairMutex(name)],
      ['a read-write lock', (bedrock, name) => bedrock.readWriteLock(name).write],
    ];

    describe.each(HELD)('while Node holds %s', (type, of) => {
      it('is refused by Redis to a semaphore or a latch of Java', async () => {
        const name = site.freshName();
        const lease = await of(bedrocks[0]!, name).acquire();
        const java = site.thread();
        const wrongType = { message: expect.stringContaining('WRONGTYPE') };
        await expect(java.semaphore(name).tryAcquire(1, 0)).rejects.toMatchObject(wrongType);
        await expect(java.expirableSemaphore(name).tryAcquire(1, 0, 1)).rejects.toMatchObject(wrongType);
        await expect(java.latch(name).count()).rejects.toMatchObject(wrongType);
        expect(lease.isHeld).toBe(true);
        await expect(lease.release()).resolves.toBe('released');
      });

      it('is not granted to an RLock or an RFairLock', async () => {
        const name = site.freshName();
        const lease = await of(bedrocks[0]!, name).acquire();
        for (const kind of ['lock', 'fair'] as const) {
          await expect(site.thread().lock(name, kind).tryLock(0)).resolves.toMatchObject({ value: false });
        }
        await expect(lease.release()).resolves.toBe('released');
      });

      if (type === READ_WRITE) return;
      it('is taken by an RReadWriteLock, as over an RLock: what it takes stays its own', async () => {
        const name = site.freshName();
        const mutex = of(bedrocks[0]!, name);
        const lease = await mutex.acquire();
        const reader = site.thread().lock(name, 'read');
        await expect(reader.tryLock(0, LONG_MS)).resolves.toMatchObject({ value: true });
        await expect(lease.release()).resolves.toBe('released');
        await expect(reader.isHeld()).resolves.toMatchObject({ value: true });
        await expect(mutex.tryAcquire()).rejects.toMatchObject({ code: 'LOCK_TYPE_MISMATCH' });
        await reader.unlock();
        await expect(mutex.run(() => 'free')).resolves.toBe('free');
      });
    });
  });
}
