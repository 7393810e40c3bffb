import { Bedrock, type IdempotentRun } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';

const LOST = { code: 'IDEMPOTENCY_LOST' };

describe('a record whose renewals are answered late', () => {
  let clock: ManualClock;
  let backend: FaultyBackend;
  let bedrock: Bedrock;

  beforeEach(() => {
    clock = new ManualClock();
    backend = new FaultyBackend(memory({ store: new MemoryStore(clock), clock }), { clock });
    bedrock = new Bedrock({ backend, clock });
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const payments = (leaseMs: number) => bedrock.idempotency('payments', { leaseMs });

  /** A run that goes on until `end()`. */
  async function longRun(leaseMs: number) {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const runs: IdempotentRun[] = [];
    const running = payments(leaseMs).run({ key: 'k' }, async (run) => {
      runs.push(run);
      await ended;
      return 'done';
    });
    await clock.advance(0);
    return { running, end, signal: runs[0]!.signal };
  }

  it('lives, though the backend waits for the answer for longer than a lease', async () => {
    const leaseMs = backend.operationTimeoutMs / 2;
    const { running, end, signal } = await longRun(leaseMs);
    backend.plan('records.renew', { kind: 'hang' });
    await clock.advance(3 * leaseMs);
    expect(signal.aborted).toBe(false);
    end();
    expect(await running).toEqual({ value: 'done', replayed: false });
  });

  it('lives for a lease from when it was asked for, not from the answer', async () => {
    const leaseMs = 3_000;
    const { running, end, signal } = await longRun(leaseMs);
    backend.plan('records.renew', { kind: 'delay', replyMs: 900 });
    backend.plan('records.renew', { kind: 'loseRequest' }, Infinity);
    await clock.advance(leaseMs / 3 + leaseMs - 100);
    expect(signal.aborted).toBe(false);
    await clock.advance(150);
    expect(signal.aborted).toBe(true);
    end();
    await expect(running).rejects.toMatchObject(LOST);
  });

  it.each([
    ['while it is asked again', 900],
    ['before it is asked again', 525],
  ])('is lost when a late answer says so, %s, and is not asked for any more', async (_when, lateMs) => {
    const leaseMs = 3_000;
    const { running, end, signal } = await longRun(leaseMs);
    backend.plan('records.renew', { kind: 'delay', requestMs: lateMs });
    backend.plan('records.renew', { kind: 'hang' }, Infinity);
    await clock.advance(leaseMs / 3 + lateMs - 10);
    await payments(leaseMs).forget('k');
    expect(signal.aborted).toBe(false);
    await clock.advance(10);
    expect(signal.aborted).toBe(true);
    const { length } = backend.callsOf('records.renew');
    await clock.advance(leaseMs);
    expect(backend.callsOf('records.renew')).toHaveLength(length);
    end();
    await expect(running).rejects.toMatchObject(LOST);
  });

  it('is lost at the end of its lease where nothing answers, with two requests in flight at most', async () => {
    const leaseMs = backend.operationTimeoutMs;
    const { running, end, signal } = await longRun(leaseMs);
    backend.plan('records.renew', { kind: 'hang' }, Infinity);
    await clock.advance(0.98 * leaseMs);
    expect(signal.aborted).toBe(false);
    expect(backend.callsOf('records.renew')).toHaveLength(2);
    await clock.advance(0.02 * leaseMs);
    expect(signal.aborted).toBe(true);
    end();
    await expect(running).rejects.toMatchObject(LOST);
  });

  it('is renewed a third of the lease after it was asked for, however late the answer came', async () => {
    const leaseMs = 3_000;
    const { running, end } = await longRun(leaseMs);
    backend.plan('records.renew', { kind: 'delay', replyMs: 400 }, 3);
    await clock.advance(3_900);
    const times = backend.callsOf('records.renew').map(({ at }) => at);
    expect(times.slice(1).map((at, i) => at - times[i]!)).toEqual([970, 970]);
    end();
    await running;
  });
});
