import { LockUpgradeError, runInFlow } from 'bedrock-lock';
import { ExclusionChecker } from 'bedrock-testkit';
import { claimIdOf, deferred, track } from '../../engine/bench.js';
import { Shelf } from './shelf.js';

describe('nested reading and writing', () => {
  let shelf: Shelf;
  beforeEach(() => (shelf = new Shelf()));
  afterEach(() => shelf.close());

  it('enters at once to read from within writing, without a round trip', async () => {
    const { read, write } = shelf.lock;
    await write.run(async () => {
      const before = shelf.bench.backend.callsOf('claim').length;
      const inner = await read.run(async (lease) => {
        expect([read.depth, write.depth, lease.isHeld]).toEqual([1, 1, true]);
        return write.run(() => write.depth);
      });
      expect(inner).toBe(2);
      expect(shelf.bench.backend.callsOf('claim')).toHaveLength(before);
      expect(await shelf.held()).toBe('w');
    });
    expect(await shelf.held()).toBe('');
  });

  it('enters at once to read from within reading, though a writer waits', async () => {
    const { read } = shelf.lock;
    await read.run(async () => {
      const writer = track(shelf.rival.write.acquire());
      await shelf.clock.advance(10);
      expect(await read.run(() => read.depth)).toBe(2);
      expect(writer.state).toBe('pending');
    });
  });

  it('takes turns in parallel branches of one hold, as every lock does', async () => {
    const { read } = shelf.lock;
    const checker = new ExclusionChecker();
    const branch = () => read.run(() => checker.run(() => Promise.resolve()));
    await read.run(() => Promise.all([branch(), branch(), branch()]));
    expect(checker.assertExclusion().leases).toBe(3);
  });

  it.each(['run', 'acquire', 'lock'] as const)(
    'refuses at once to write from within reading: %s',
    async (how) => {
      const { read, write } = shelf.lock;
      const upgrade = {
        run: () => write.run(() => 1),
        acquire: () => write.acquire(),
        lock: () => write.lock(),
      };
      await runInFlow(() =>
        read.run(async () => {
          const before = shelf.clock.now();
          const error: unknown = await upgrade[how]().catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(LockUpgradeError);
          expect(error).toMatchObject({ code: 'LOCK_UPGRADE', resource: 'shelf' });
          expect(String(error)).toContain('end the reading first');
          expect(shelf.clock.now()).toBe(before);
          expect(await write.tryAcquire()).toBeNull();
        }),
      );
      expect(shelf.claims).toHaveLength(1);
    },
  );

  it('refuses to acquire() from within the own hold what would wait for it', async () => {
    const { read, write } = shelf.lock;
    await write.run(async () => {
      await expect(read.acquire()).rejects.toMatchObject({ code: 'LOCK_SELF_DEADLOCK' });
      await expect(write.acquire()).rejects.toMatchObject({ code: 'LOCK_SELF_DEADLOCK' });
    });
  });

  it('knows what this call chain reads and what it writes', async () => {
    const { read, write } = shelf.lock;
    const seen: unknown[] = [];
    const look = () =>
      seen.push([read.depth, read.isHeldByCurrentFlow, write.depth, write.isHeldByCurrentFlow]);
    look();
    await read.run(look);
    await write.run(async () => {
      look();
      await read.run(look);
    });
    expect(seen).toEqual([
      [0, false, 0, false],
      [1, true, 0, false],
      [0, false, 1, true],
      [1, true, 1, true],
    ]);
  });
});

describe('a downgrade', () => {
  let shelf: Shelf;
  beforeEach(() => (shelf = new Shelf()));
  afterEach(() => shelf.close());

  it('lets readers in and keeps writers out, in one step', async () => {
    const lease = await shelf.lock.write.acquire();
    const here = track(shelf.lock.read.acquire());
    const elsewhere = track(shelf.rival.read.acquire());
    await shelf.clock.advance(10);
    const writer = track(shelf.another().write.acquire());
    await shelf.clock.advance(10);
    expect(await lease.downgrade()).toBe(lease);
    await shelf.clock.settle();
    expect([lease.isHeld, lease.isExclusive]).toEqual([true, false]);
    expect([elsewhere.state, writer.state]).toEqual(['fulfilled', 'pending']);
    await shelf.clock.advance(4_000);
    expect(lease.isHeld).toBe(true);
    expect(await lease.release()).toBe('released');
    void elsewhere.value!.release();
    await shelf.clock.settle();
    expect(writer.state).toBe('fulfilled');
    await writer.value!.release();
    await shelf.clock.settle();
    expect(here.state).toBe('fulfilled');
  });

  it('lets in the waiting readers of this process', async () => {
    const lease = await shelf.lock.write.acquire();
    const readers = Array.from({ length: 3 }, () => track(shelf.lock.read.acquire()));
    await lease.downgrade();
    await shelf.clock.settle();
    expect(readers.map(({ state }) => state)).toEqual(Array<string>(3).fill('fulfilled'));
    expect(new Set([lease, ...readers.map(({ value }) => value!)].map(claimIdOf)).size).toBe(1);
    expect(await shelf.held()).toBe('r');
  });

  it('never lets a writer of this process in beside it', async () => {
    const lease = await shelf.lock.write.acquire();
    const writer = track(shelf.lock.write.acquire());
    await lease.downgrade();
    await shelf.clock.advance(100);
    expect(writer.state).toBe('pending');
    await lease.release();
    await shelf.clock.settle();
    expect(writer.state).toBe('fulfilled');
  });

  it('may be asked for again, and not after the end', async () => {
    const lease = await shelf.lock.write.acquire();
    await lease.downgrade();
    await lease.downgrade();
    await lease.release();
    await expect(lease.downgrade()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
  });

  it('within a run makes it a reader, which cannot write again', async () => {
    const { read, write } = shelf.lock;
    await write.run(async (lease) => {
      await lease.downgrade();
      expect([write.isHeldByCurrentFlow, write.depth, lease.isHeld]).toEqual([false, 0, true]);
      expect(await shelf.held()).toBe('r');
      await expect(write.run(() => 1)).rejects.toMatchObject({ code: 'LOCK_UPGRADE' });
      expect(await read.run(() => 'still')).toBe('still');
    });
    expect(await shelf.held()).toBe('');
  });

  it('changes nothing while an outer run of the same call chain writes', async () => {
    const { write } = shelf.lock;
    await write.run(async (outer) => {
      await write.run((lease) => lease.downgrade());
      expect([outer.isExclusive, await shelf.held()]).toEqual([true, 'w']);
      await outer.downgrade();
      expect([outer.isExclusive, await shelf.held()]).toEqual([false, 'r']);
    });
  });

  it('happens by itself when the writing ends before the reading within it', async () => {
    const { read, write } = shelf.lock;
    const [started, ended] = [deferred(), deferred()];
    const reading: Promise<void>[] = [];
    await write.run(async () => {
      reading.push(
        read.run(async (lease) => {
          started.open();
          await ended.opened;
          lease.assertHeld();
        }),
      );
      await started.opened;
    });
    expect(await shelf.held()).toBe('r');
    expect(await shelf.rival.read.tryAcquire()).not.toBeNull();
    ended.open();
    await Promise.all(reading);
    expect(await shelf.held()).toBe('r');
  });

  it('does not let a writer begin that waited for its turn in the hold', async () => {
    const { read, write } = shelf.lock;
    const [started, ended] = [deferred(), deferred()];
    let late: ReturnType<typeof track<string>> | undefined;
    const reading: Promise<unknown>[] = [];
    await write.run(async () => {
      const branches = async (): Promise<void> => {
        const first = read.run(async () => {
          started.open();
          await ended.opened;
        });
        await started.opened;
        late = track(write.run(() => 'written'));
        await first;
      };
      reading.push(read.run(branches));
      await started.opened;
    });
    ended.open();
    await Promise.all(reading);
    await shelf.clock.settle();
    expect(late!.error).toMatchObject({ code: 'LOCK_UPGRADE' });
    expect(await shelf.held()).toBe('');
  });
});

describe('lock() and unlock() of both sides in a flow', () => {
  let shelf: Shelf;
  beforeEach(() => (shelf = new Shelf()));
  afterEach(() => shelf.close());

  it('downgrade as in java.util.concurrent: no other caller gets in between', async () => {
    const { read, write } = shelf.lock;
    await runInFlow(async () => {
      await write.lock();
      const writer = track(shelf.rival.write.acquire());
      await shelf.clock.advance(10);
      await read.lock();
      expect(shelf.claims).toHaveLength(1);
      expect(await write.unlock()).toBe('released');
      expect([await shelf.held(), read.depth, write.depth]).toEqual(['r', 1, 0]);
      await shelf.clock.advance(100);
      expect(writer.state).toBe('pending');
      await expect(write.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_OWNER' });
      await expect(write.lock()).rejects.toMatchObject({ code: 'LOCK_UPGRADE' });
      expect(await read.unlock()).toBe('released');
      await shelf.clock.settle();
      expect(writer.state).toBe('fulfilled');
    });
  });

  it('keep the writing while any write.lock() of the flow is open', async () => {
    const { read, write } = shelf.lock;
    await runInFlow(async () => {
      await write.lock();
      await read.lock();
      await write.lock();
      await write.unlock();
      expect([await shelf.held(), write.depth]).toEqual(['w', 1]);
      await read.unlock();
      expect(await shelf.held()).toBe('w');
      await write.unlock();
      expect(await shelf.held()).toBe('');
    });
  });

  it('are both released at the end of the flow', async () => {
    const told = shelf.bench.told('flow.leaked');
    await runInFlow(async () => {
      await shelf.lock.write.lock();
      await shelf.lock.read.lock();
    });
    expect(told).toMatchObject([{ resource: 'shelf', depth: 2 }]);
    expect(await shelf.held()).toBe('');
  });
});
