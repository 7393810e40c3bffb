import { Bedrock, multiLock } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { LockRecorder, ManualClock } from 'bedrock-testkit';

describe('a lock recorder', () => {
  let clock: ManualClock;
  let store: MemoryStore;
  let recorder: LockRecorder;
  let bedrock: Bedrock;

  /** One more process on the store of the test. */
  const join = (prefix = '') =>
    new Bedrock({ backend: memory({ clock, store }), clock, prefix, handOver: { quantumMs: 10_000 } });

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryStore(clock);
    recorder = new LockRecorder({ clock });
    bedrock = join();
    recorder.listenTo(bedrock);
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  it('tells waits and holds of a lock, with keys, labels and times', async () => {
    const orders = bedrock.mutex('orders').for('eu:1', 2);
    const first = await recorder.as('first', () => orders.acquire());
    const waiting = recorder.as('second', () => orders.acquire());
    await clock.advance(5);
    await first.release();
    const second = await waiting;
    await clock.advance(3);
    await second.release();
    const subject = { lock: 'orders', key: 'eu:1:2' };
    expect(recorder.waits('orders')).toEqual([
      { ...subject, label: 'first', end: 'granted', waitedMs: 0 },
      { ...subject, label: 'second', end: 'granted', waitedMs: 5 },
    ]);
    const hold = { ...subject, mode: 'exclusive', end: 'released' };
    expect(recorder.holds('orders')).toEqual([
      { ...hold, label: 'first', token: first.token, heldMs: 5 },
      { ...hold, label: 'second', token: second.token, heldMs: 3 },
    ]);
    expect(recorder.waits('order')).toEqual([]);
  });

  it('tells those that still last, with their time so far', async () => {
    const orders = bedrock.mutex('orders');
    const held = await orders.acquire();
    const waiting = orders.acquire();
    await clock.advance(20);
    expect(recorder.waits('orders')[1]).toMatchObject({ end: undefined, waitedMs: 20, label: undefined });
    expect(recorder.holds('orders')).toMatchObject([{ end: undefined, heldMs: 20 }]);
    await held.release();
    await (await waiting).release();
  });

  it('tells how waits and holds ended that did not go well', async () => {
    const orders = bedrock.mutex('orders');
    await orders.acquire({ leaseMs: 1_000, renew: false });
    await expect(orders.acquire({ waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    const late = expect(orders.acquire({ waitMs: 50 })).rejects.toMatchObject({ code: 'LOCK_WAIT_TIMEOUT' });
    await clock.advance(1_000);
    await late;
    expect(recorder.waits('orders').map(({ end }) => end)).toEqual(['granted', 'busy', 'timedOut']);
    expect(recorder.holds('orders')).toMatchObject([{ end: 'lost' }]);
  });

  it('names both locks of one request after its caller', async () => {
    const all = ['a', 'b'].map((key) => bedrock.mutex('orders').for(key));
    await recorder.as('both', () => multiLock(all).run(() => undefined));
    expect(recorder.holds('orders').map(({ key, label }) => [key, label])).toEqual([
      ['a', 'both'],
      ['b', 'both'],
    ]);
  });

  it('puts the holds of several processes into one order', async () => {
    const other = join();
    recorder.listenTo(other);
    for (const one of [bedrock, other, bedrock]) {
      const label = one === other ? 'there' : 'here';
      await recorder.as(label, () => one.mutex('orders').run(() => undefined));
    }
    expect(recorder.order('orders')).toEqual(['here', 'there', 'here']);
    recorder.expectLock('orders').toHaveBeenHeldInOrder(['here', 'there', 'here']);
    await other.close();
  });

  it('knows keys behind a prefix, and modes', async () => {
    const prefixed = join('shop:');
    recorder.listenTo(prefixed);
    const prices = prefixed.readWriteLock('prices');
    await prices.for('p-1').write.run(() => undefined);
    await prices.read.run(() => undefined);
    expect(recorder.holds('prices').map(({ key, mode }) => [key, mode])).toEqual([
      ['p-1', 'write'],
      ['', 'read'],
    ]);
    expect([recorder.order('prices'), recorder.locks]).toEqual([['p-1', ''], ['prices']]);
    await prefixed.close();
  });

  it('gives the innermost label, and counts a re-entry with its hold', async () => {
    const [orders, audit] = [bedrock.mutex('orders'), bedrock.mutex('audit')];
    const inner = () => recorder.as('inner', () => orders.run(() => audit.run(() => undefined)));
    await recorder.as('outer', () => orders.run(inner));
    expect(recorder.holds('orders').map(({ label }) => label)).toEqual(['outer']);
    expect(recorder.holds('audit').map(({ label }) => label)).toEqual(['inner']);
  });

  it('records holds of a fake', async () => {
    const end = recorder.recordHold({ lock: 'orders', key: 'o-1', label: 'fake' });
    await clock.advance(4);
    end();
    await clock.advance(4);
    end();
    expect(recorder.holds('orders')).toEqual([
      { lock: 'orders', key: 'o-1', label: 'fake', mode: '', token: 0, end: 'released', heldMs: 4 },
    ]);
  });

  it('forgets on request, and hears nothing more after its end', async () => {
    const fresh = join();
    const stop = recorder.listenTo(fresh);
    await fresh.mutex('orders').run(() => undefined);
    recorder.clear();
    expect(recorder.locks).toEqual([]);
    stop();
    await fresh.mutex('orders').run(() => undefined);
    expect(recorder.locks).toEqual([]);
    await fresh.close();
  });
});
