import { currentLease, multiLock } from 'bedrock-lock';
import { ExclusionChecker } from 'bedrock-testkit';
import { deferred, track } from '../../engine/bench.js';
import { MultiBench } from './multi-bench.js';

let bench: MultiBench;
beforeEach(() => (bench = new MultiBench()));
afterEach(() => bench.close());

describe('a run of a multi-lock', () => {
  it('lets a run on one of its locks enter at once, and another multi-lock with it', async () => {
    const [a, b] = bench.locks('ab');
    const depths = await bench.multi('ab').run(async () => {
      const inner = await a!.run(() => [a!.depth, b!.depth]);
      const both = await bench.multi('bac').run(() => [a!.depth, b!.depth]);
      return [inner, both];
    });
    expect(depths).toEqual([[2, 1], [2, 2]]); // prettier-ignore
    expect(await bench.granted()).toEqual([]);
  });

  it('enters at once what its call chain holds, and asks for the rest', async () => {
    const [a] = bench.locks('a');
    await a!.run(() =>
      bench.multi('abc').run(async () => expect(await bench.granted()).toEqual(['a', 'b', 'c'])),
    );
    expect(
      bench.backend.callsOf('claimAll').map(({ input }) => input.map(({ resource }) => resource)),
    ).toEqual([['r:b', 'r:c']]);
  });

  it('asks in one question for what stands before the lock that its call chain holds', async () => {
    const [c] = bench.locks('c');
    await c!.run(() => bench.multi('abc').run(() => undefined));
    expect(bench.backend.callsOf('claimAll')).toHaveLength(1);
    expect(bench.asked()).toEqual(['r:c']);
  });

  it('keeps the outer hold: only what it took itself is given back', async () => {
    const [a] = bench.locks('a');
    await a!.run(async () => {
      await bench.multi('ab').run(() => undefined);
      expect(await bench.granted()).toEqual(['a']);
    });
    expect(await bench.granted()).toEqual([]);
  });

  it('takes turns with parallel branches of one hold', async () => {
    const [a] = bench.locks('a');
    const checker = new ExclusionChecker();
    const body = () => checker.run(() => bench.clock.settle());
    await a!.run(() => Promise.all([bench.multi('ab').run(body), a!.run(body), bench.multi('ac').run(body)]));
    expect(checker.assertExclusion().leases).toBe(3);
  });

  it('refuses acquire() under itself at once, and tryAcquire() is null', async () => {
    await bench.multi('ab').run(async () => {
      await expect(bench.multi('bc').acquire()).rejects.toMatchObject({
        code: 'LOCK_SELF_DEADLOCK',
        resource: 'r:b',
      });
      expect(await bench.multi('bc').tryAcquire()).toBeNull();
      await expect(bench.locks('a')[0]!.acquire()).rejects.toMatchObject({ code: 'LOCK_SELF_DEADLOCK' });
    });
    expect(await bench.granted()).toEqual([]);
  });

  it('has the lease of its last lock as the current one', async () => {
    await bench.multi('ba').run((lease) => expect(currentLease()).toBe(lease.leaseOf(bench.locks('b')[0]!)));
  });

  it('throws what its body throws, and gives everything back', async () => {
    const failing = bench.multi('ab').run(() => Promise.reject(new Error('body')));
    await expect(failing).rejects.toThrow('body');
    expect(await bench.granted()).toEqual([]);
  });

  it('throws LockLostError when one of them was lost, and gives the others back', async () => {
    const work = deferred();
    const reasons: unknown[] = [];
    const running = track(
      bench.multi('abc').run(async (lease) => {
        lease.signal.addEventListener('abort', () => reasons.push(lease.signal.reason));
        await work.opened;
      }),
    );
    await bench.clock.settle();
    await bench.rival.for('b').forceRelease();
    await bench.clock.advance(10);
    expect(reasons).toMatchObject([{ code: 'LOCK_LOST', resource: 'r:b' }]);
    expect(running.state).toBe('pending');
    work.open();
    await bench.clock.settle();
    expect(running.error).toMatchObject({ code: 'LOCK_LOST', resource: 'r:b', reason: 'taken' });
    expect(await bench.granted()).toEqual([]);
  });

  it('does not begin its body when one was lost before', async () => {
    bench.bedrock.on('lease.granted', ({ resource }) => {
      if (resource === 'r:b') bench.clock.block(5_000);
    });
    const ran: boolean[] = [];
    await expect(bench.multi('abc').run(() => ran.push(true), { waitMs: 100 })).rejects.toMatchObject({
      code: 'LOCK_LOST',
    });
    expect(ran).toEqual([]);
    await bench.clock.advance(10);
    expect(await bench.granted()).toEqual([]);
  });
});

describe('a multi-lock with readers and writers', () => {
  it('lets readers in beside each other, and a writer only alone', async () => {
    const [prices, orders] = [bench.bedrock.readWriteLock('prices'), bench.bedrock.readWriteLock('orders')];
    const work = deferred();
    const inside: string[] = [];
    const order = (id: number) =>
      multiLock([prices.read, orders.for(id).write]).run(async () => {
        inside.push(`order ${id}`);
        await work.opened;
      });
    const running = [order(1), order(2)];
    await bench.clock.settle();
    const change = multiLock([orders.for(3).write, prices.write]).run(() => inside.push('change'));
    await bench.clock.advance(10);
    expect(inside.sort()).toEqual(['order 1', 'order 2']);
    work.open();
    await bench.clock.advance(10);
    await Promise.all([...running, change]);
    expect(inside).toHaveLength(3);
  });

  it('refuses both sides of one lock together', () => {
    const { read, write } = bench.bedrock.readWriteLock('prices');
    expect(() => multiLock([read, write])).toThrow(/two kinds of lock on one resource/);
  });
});
