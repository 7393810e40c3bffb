import { Bedrock, multiLock } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { track } from '../../engine/bench.js';
import { MultiBench } from './multi-bench.js';

let bench: MultiBench;
beforeEach(() => (bench = new MultiBench()));
afterEach(() => bench.close());

describe('a multi-lock', () => {
  it('takes free locks in one question, and gives them back', async () => {
    const lease = await bench.multi('cab').acquire();
    expect(await bench.granted()).toEqual(['a', 'b', 'c']);
    expect(bench.backend.callsOf('claimAll')).toHaveLength(1);
    expect(bench.asked()).toEqual([]);
    expect(await lease.release()).toBe('released');
    expect(await bench.granted()).toEqual([]);
    expect(bench.bedrock.stats()).toMatchObject({
      resources: 0,
      holds: 0,
      waiters: 0,
      pendingWithdrawals: 0,
    });
  });

  it('takes one after the other in the order of their names, however they were given', async () => {
    bench.separately();
    await bench.multi('cab').acquire();
    expect(bench.asked()).toEqual(['r:a', 'r:b', 'r:c']);
  });

  it('counts a lock that is given twice once', async () => {
    const twice = bench.multi('abab');
    expect(twice.resources).toEqual(['r:a', 'r:b']);
    const lease = await twice.acquire();
    expect(lease.leases).toHaveLength(2);
    expect(await lease.release()).toBe('released');
  });

  it('of one lock is that lock', async () => {
    const only = bench.multi('a');
    await only.run((lease) => expect(lease.resources).toEqual(['r:a']));
    expect(bench.backend.callsOf('claimAll')).toEqual([]);
  });

  it('asks for more than 64 in several questions', async () => {
    const many = Array.from({ length: 100 }, (_, i) => bench.lock().for(i));
    const lease = await multiLock(many).acquire();
    expect(bench.backend.callsOf('claimAll').map(({ input }) => input.length)).toEqual([64, 36]);
    expect(lease.isHeld).toBe(true);
  });

  it('gives back in reverse what it holds when one of them cannot be acquired', async () => {
    bench.separately();
    await bench.rival.for('c').acquire();
    const failed = track(bench.multi('abc').acquire({ waitMs: 200 }));
    await bench.clock.advance(100);
    expect(await bench.granted('ab')).toEqual(['a', 'b']);
    await bench.clock.advance(100);
    expect(failed.error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT', resource: 'r:c' });
    expect(await bench.granted('ab')).toEqual([]);
    const withdrawn = bench.backend.callsOf('withdraw').map(({ input }) => input.ref.resource);
    expect(withdrawn.filter((resource) => resource !== 'r:c')).toEqual(['r:b', 'r:a']);
  });

  it.each(['b', 'c'])(
    'waits no longer for all of them than its waitMs, when %s is last in the way',
    async (last) => {
      const [first, second] = [await bench.rival.for('a').acquire(), await bench.rival.for(last).acquire()];
      const failed = track(bench.multi('abc', { waitMs: 60_000 }).acquire({ waitMs: 500 }));
      await bench.clock.advance(300);
      await first.release();
      await bench.clock.advance(199);
      expect(failed.state).toBe('pending');
      await bench.clock.advance(1);
      expect(failed.error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT', resource: `r:${last}`, waitedMs: 500 });
      expect((failed.error as { holder: object }).holder).toBeDefined();
      await bench.clock.settle();
      expect(await bench.granted()).toEqual([last]);
      await second.release();
    },
  );

  it('waits as long as the least patient of its locks, unless its own option says otherwise', async () => {
    const [a, b] = [bench.bedrock.mutex('a', { waitMs: 300 }), bench.bedrock.mutex('b', { waitMs: 900 })];
    const held = await b.acquire();
    const [own, told] = [
      track(multiLock([a, b]).acquire()),
      track(multiLock([a, b], { waitMs: 600 }).acquire()),
    ];
    await bench.clock.advance(300);
    expect([own.state, told.state]).toEqual(['rejected', 'pending']);
    await bench.clock.advance(300);
    expect(told.state).toBe('rejected');
    await held.release();
  });

  it('does not ask for the next when its time is over', async () => {
    bench.separately();
    bench.bedrock.on('lease.granted', () => bench.clock.block(200));
    const failed = track(bench.multi('ab').acquire({ waitMs: 100 }));
    await bench.clock.settle();
    expect(failed.error).toMatchObject({ code: 'LOCK_WAIT_TIMEOUT', resource: 'r:b', waitedMs: 200 });
    expect(bench.asked()).toEqual(['r:a']);
    expect(await bench.granted()).toEqual([]);
  });

  it('never waits for another one that waits for it, whatever order they were given in', async () => {
    bench.separately();
    const served: string[] = [];
    const pairs = ['ab', 'ba', 'bc', 'cb', 'ca', 'ac', 'abc', 'cba'];
    const callers = pairs.map((keys) =>
      bench.multi(keys, { waitMs: 10_000 }).run(async () => {
        served.push(keys);
        await new Promise<void>((resolve) => void bench.clock.setTimer(resolve, 10));
      }),
    );
    await bench.clock.advance(1_000);
    await Promise.all(callers);
    expect(served.sort()).toEqual([...pairs].sort());
  });

  it('leaves one that is not told of, when it is lost while another is waited for, and begins again', async () => {
    bench.separately();
    const b = await bench.rival.for('b').acquire();
    const caller = track(bench.multi('ab').acquire({ waitMs: 20_000, leaseMs: 1_000, renew: false }));
    await bench.clock.advance(1_500);
    expect(await bench.granted('a')).toEqual([]);
    await b.release();
    await bench.clock.advance(10);
    expect(caller.value?.isHeld).toBe(true);
    expect(caller.value?.remainingMs).toBeGreaterThan(900);
    expect(bench.asked().filter((resource) => resource === 'r:a')).toHaveLength(2);
  });

  it('tries once with waitMs 0, and names the holder in the way', async () => {
    const held = await bench.rival.for('b').acquire();
    await expect(bench.multi('abc').acquire({ waitMs: 0 })).rejects.toMatchObject({
      code: 'LOCK_BUSY',
      resource: 'r:b',
      holder: { remainingMs: expect.any(Number) as number },
    });
    expect(bench.backend.callsOf('claimAll')).toHaveLength(1);
    expect(bench.asked()).toEqual([]);
    expect(await bench.multi('abc').tryAcquire()).toBeNull();
    await held.release();
    const lease = await bench.multi('abc').tryAcquire();
    expect(lease?.isHeld).toBe(true);
  });

  it('tries each once where they are asked for one by one, and keeps none', async () => {
    bench.separately();
    await bench.rival.for('c').acquire();
    expect(await bench.multi('abc').tryAcquire()).toBeNull();
    await bench.clock.settle();
    expect(await bench.granted('ab')).toEqual([]);
  });

  it('stops waiting when its signal aborts, and holds nothing', async () => {
    bench.separately();
    await bench.rival.for('b').acquire();
    const controller = new AbortController();
    const caller = track(bench.multi('ab').acquire({ signal: controller.signal }));
    await bench.clock.advance(10);
    controller.abort(new Error('enough'));
    await caller.settled;
    expect(caller.error).toMatchObject({ code: 'LOCK_ABORTED', cause: { message: 'enough' } });
    await bench.clock.settle();
    expect(await bench.granted('a')).toEqual([]);
  });
});

describe('locks of several Bedrocks', () => {
  let other: Bedrock;
  beforeEach(() => {
    const { clock } = bench;
    other = new Bedrock({ backend: memory({ store: new MemoryStore(clock), clock }), clock });
  });
  afterEach(() => other.close({ graceMs: 0 }));

  it('are held all or none, in the order of their names', async () => {
    const [mine, theirs] = [bench.locks('ac'), other.mutex('r').for('b')];
    const both = multiLock([theirs, ...mine]);
    expect(both.resources).toEqual(['r:a', 'r:b', 'r:c']);
    const lease = await both.acquire();
    expect(await theirs.tryAcquire()).toBeNull();
    expect(await bench.granted('ac')).toEqual(['a', 'c']);
    await lease.release();
    await bench.rival.for('c').acquire();
    expect(await both.tryAcquire()).toBeNull();
    await bench.clock.settle();
    expect(await theirs.inspect()).toEqual([]);
    expect(await bench.granted('a')).toEqual([]);
  });

  it('are distinguished where they have one name, and ordered as their Bedrocks were made', async () => {
    const [a] = bench.locks('a');
    const theirs = other.mutex('r').for('a');
    for (const given of [
      [a!, theirs],
      [theirs, a!],
    ]) {
      // prettier-ignore
      expect(multiLock(given).locks).toEqual([a, theirs]);
    }
    const lease = await multiLock([theirs, a!]).acquire();
    expect(lease.leases).toHaveLength(2);
    expect(lease.leaseOf(theirs)).not.toBe(lease.leaseOf(a!));
  });
});
