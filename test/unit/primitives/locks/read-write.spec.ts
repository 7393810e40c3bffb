import { claimIdOf, track } from '../../engine/bench.js';
import { Shelf } from './shelf.js';

describe('a read-write lock', () => {
  let shelf: Shelf;
  beforeEach(() => (shelf = new Shelf()));
  afterEach(() => shelf.close());

  const read = (signal?: AbortSignal) => track(shelf.lock.read.acquire(signal && { signal }));
  const write = (signal?: AbortSignal) => track(shelf.lock.write.acquire(signal && { signal }));

  it('lets readers in beside each other, in this process and in others', async () => {
    const leases = await Promise.all([shelf.lock, shelf.lock, shelf.rival].map(({ read }) => read.acquire()));
    expect(leases.every(({ isHeld }) => isHeld)).toBe(true);
    expect(await shelf.held()).toBe('rr');
    expect(new Set(leases.map(({ token }) => token))).toEqual(new Set([0]));
  });

  it('lets a writer in alone, with a token that grows', async () => {
    const first = await shelf.rival.write.acquire();
    const [reader, writer] = [read(), write()];
    await shelf.clock.advance(100);
    expect([reader.state, writer.state]).toEqual(['pending', 'pending']);
    await first.release();
    await shelf.clock.settle();
    expect([reader.state, writer.state]).toEqual(['fulfilled', 'pending']);
    await reader.value!.release();
    await shelf.clock.settle();
    expect(writer.value!.token).toBeGreaterThan(first.token);
    expect(await shelf.held()).toBe('w');
  });

  it('keeps readers of this process behind a writer that came before them', async () => {
    const first = await shelf.lock.read.acquire();
    const [writer, second] = [write(), read()];
    await shelf.clock.advance(100);
    expect([writer.state, second.state]).toEqual(['pending', 'pending']);
    await first.release();
    await shelf.clock.settle();
    expect([writer.state, second.state]).toEqual(['fulfilled', 'pending']);
    await writer.value!.release();
    await shelf.clock.settle();
    expect(second.state).toBe('fulfilled');
  });

  it('keeps readers of other processes behind a writer that waits here', async () => {
    const first = await shelf.rival.read.acquire();
    const writer = write();
    await shelf.clock.advance(10);
    const second = track(shelf.rival.read.acquire());
    const third = track(shelf.another().read.acquire());
    await shelf.clock.advance(1_500);
    expect([writer.state, second.state, third.state]).toEqual(['pending', 'pending', 'pending']);
    await first.release();
    await shelf.clock.settle();
    expect([writer.state, second.state, third.state]).toEqual(['fulfilled', 'pending', 'pending']);
    await writer.value!.release();
    await shelf.clock.settle();
    expect([second.state, third.state]).toEqual(['fulfilled', 'fulfilled']);
  });

  it('does not let a writer starve beside processes that never stop reading', async () => {
    const served: string[] = [];
    const pass = (ms: number) => new Promise<void>((resolve) => void shelf.clock.setTimer(resolve, ms));
    const stream = Array.from({ length: 12 }, async (_, i) => {
      const { read } = i % 2 === 0 ? shelf.lock : shelf.rival;
      for (let cycle = 0; cycle < 60; cycle += 1) await read.run(() => pass(3 + (i % 5)));
      served.push('readers');
    });
    await shelf.clock.advance(7);
    const writer = shelf.another().write.run(() => void served.push('writer'));
    await shelf.clock.advance(2_000);
    await Promise.all([...stream, writer]);
    expect(served[0]).toBe('writer');
  });

  it('hands over from writer to writer, and never from one side to the other', async () => {
    const first = await shelf.lock.write.acquire();
    const [second, reader, last] = [write(), read(), write()];
    await first.release();
    await shelf.clock.settle();
    expect(claimIdOf(second.value!)).toBe(claimIdOf(first));
    await second.value!.release();
    await shelf.clock.settle();
    expect([reader.state, last.state]).toEqual(['fulfilled', 'pending']);
    expect(claimIdOf(reader.value!)).not.toBe(claimIdOf(first));
    await reader.value!.release();
    await shelf.clock.settle();
    expect(claimIdOf(last.value!)).not.toBe(claimIdOf(reader.value!));
    expect(shelf.bench.bedrock.stats().handOvers).toBe(1);
  });

  describe('whose waiting writer goes away', () => {
    it.each(['aborts', 'runs out of time'])('lets readers on at once when it %s', async (how) => {
      const remote = await shelf.rival.read.acquire();
      const controller = new AbortController();
      const waiting = track(
        shelf.lock.write.acquire(how === 'aborts' ? { signal: controller.signal } : { waitMs: 200 }),
      );
      await shelf.clock.advance(10);
      const here = [read(), read()];
      const elsewhere = track(shelf.rival.read.acquire());
      const third = track(shelf.another().read.acquire());
      await shelf.clock.advance(189);
      expect([...here, elsewhere, third].map(({ state }) => state)).toEqual(Array<string>(4).fill('pending'));
      controller.abort();
      await shelf.clock.advance(1);
      await shelf.clock.settle();
      expect(waiting.state).toBe('rejected');
      expect([...here, elsewhere, third].map(({ state }) => state)).toEqual(
        Array<string>(4).fill('fulfilled'),
      );
      await remote.release();
    });

    it('lets readers on that it kept out behind readers of this process', async () => {
      const first = await shelf.lock.read.acquire();
      const controller = new AbortController();
      const waiting = write(controller.signal);
      const readers = [read(), read(), read()];
      await shelf.clock.advance(10);
      expect(shelf.claims).toHaveLength(1);
      controller.abort();
      await shelf.clock.settle();
      expect(waiting.error).toMatchObject({ code: 'LOCK_ABORTED' });
      expect(readers.map(({ state }) => state)).toEqual(Array<string>(3).fill('fulfilled'));
      await first.release();
    });

    it('lets a process on that wanted to write first, and now to read', async () => {
      const remote = await shelf.rival.read.acquire({ leaseMs: 30_000 });
      const [ahead, behind] = [new AbortController(), new AbortController()];
      const first = track(shelf.another().write.acquire({ signal: ahead.signal }));
      await shelf.clock.advance(10);
      const second = write(behind.signal);
      const reader = read();
      await shelf.clock.advance(10);
      behind.abort();
      await shelf.clock.advance(10);
      expect([first.state, second.state, reader.state]).toEqual(['pending', 'rejected', 'pending']);
      ahead.abort();
      await shelf.clock.settle();
      expect([first.state, reader.state]).toEqual(['rejected', 'fulfilled']);
      await remote.release();
    });

    it('changes nothing for those behind another writer', async () => {
      await shelf.rival.read.acquire({ leaseMs: 30_000 });
      const controller = new AbortController();
      const [gone, writer, reader] = [write(controller.signal), write(), read()];
      await shelf.clock.advance(10);
      controller.abort();
      await shelf.clock.advance(100);
      expect([gone.state, writer.state, reader.state]).toEqual(['rejected', 'pending', 'pending']);
    });
  });

  describe('that is tried', () => {
    it('is granted to every reader of one moment', async () => {
      const tries = await Promise.all(Array.from({ length: 5 }, () => shelf.lock.read.tryAcquire()));
      expect(tries.every((lease) => lease?.isHeld)).toBe(true);
      expect(await shelf.lock.write.tryAcquire()).toBeNull();
      expect(await shelf.rival.write.tryAcquire()).toBeNull();
    });

    it('is busy for readers while a writer writes or waits, here or elsewhere', async () => {
      const writer = await shelf.lock.write.acquire();
      expect(await shelf.lock.read.tryAcquire()).toBeNull();
      expect(await shelf.rival.read.tryAcquire()).toBeNull();
      await writer.release();
      const reader = await shelf.rival.read.acquire();
      write();
      await shelf.clock.advance(10);
      for (const { read } of [shelf.lock, shelf.rival, shelf.another()])
        expect(await read.tryAcquire()).toBeNull();
      await reader.release();
    });

    it('answers by the next question while that of another reader is in flight', async () => {
      const writer = await shelf.rival.write.acquire({ leaseMs: 30_000 });
      // The subscription stays for a while, so the next waiter sleeps at once when refused.
      track(shelf.lock.read.acquire({ waitMs: 50 }));
      await shelf.clock.advance(60);
      shelf.bench.backend.plan('claim', { kind: 'delay', replyMs: 100 });
      const waiting = read();
      await shelf.clock.advance(50);
      const tried = track(shelf.lock.read.tryAcquire());
      await shelf.clock.advance(50);
      expect([waiting.state, tried.state, tried.value]).toEqual(['pending', 'fulfilled', null]);
      await writer.release();
    });

    it('answers at once also while a reader waits here', async () => {
      const writer = await shelf.rival.write.acquire();
      const waiting = read();
      await shelf.clock.advance(50);
      const tried = track(shelf.lock.read.tryAcquire());
      await shelf.clock.settle();
      expect([waiting.state, tried.state, tried.value]).toEqual(['pending', 'fulfilled', null]);
      await writer.release();
    });
  });

  it('tells why a reader waits: a writer holds it', async () => {
    const writer = await shelf.rival.write.acquire();
    const waiting = track(shelf.lock.read.acquire({ waitMs: 50 }));
    await shelf.clock.advance(50);
    expect(waiting.error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT', holder: { id: claimIdOf(writer) } });
  });

  it('leaves nothing behind', async () => {
    const mixed = Array.from({ length: 60 }, (_, i) => {
      const { read, write } = i % 3 === 0 ? shelf.rival : shelf.lock;
      return track((i % 10 === 0 ? write : read).run(() => i));
    });
    await shelf.clock.advance(10_000);
    expect(mixed.filter(({ state }) => state !== 'fulfilled')).toEqual([]);
    expect(shelf.bench.store.size).toBe(0);
    expect(shelf.bench.bedrock.stats()).toMatchObject({ resources: 0, waiters: 0, holds: 0, watches: 0 });
  });
});
