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

  it('is lost when a late answer says so, and is not asked for any more', async () => {
    const leaseMs = 3_000;
    const { running, end, signal } = await longRun(leaseMs);
    backend.plan('records.renew', { kind: 'delay', requestMs: 900 });
    backend.plan('records.renew', { kind: 'hang' }, Infinity);
    await clock.advance(leaseMs / 3 + 800);
    await payments(leaseMs).forget('k');
    expect(signal.aborted).toBe(false);
    await clock.advance(100);
    expect(signal.aborted).toBe(true);
    const { length } = backend.callsOf('records.renew');
    await clock.advance(leaseMs);
    expect(backend.callsOf('records.renew')).toHaveLength(length);
    end();
    await expect(running).rejects.toMatchObject(LOST);
  });

  it('asks a few times in a lease, and learns soon after its end that nothing answers', async () => {
    const leaseMs = 3_000;
    const { running, end, signal } = await longRun(leaseMs);
    backend.plan('records.renew', { kind: 'hang' }, Infinity);
    await clock.advance(leaseMs - 100);
    expect(signal.aborted).toBe(false);
    await clock.advance(100 + leaseMs / 6);
    expect(signal.aborted).toBe(true);
    expect(backend.callsOf('records.renew').length).toBeLessThanOrEqual(5);
    end();
    await expect(running).rejects.toMatchObject(LOST);
  });
});
