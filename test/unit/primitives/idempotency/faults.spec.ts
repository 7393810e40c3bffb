import { Bedrock, type IdempotencyOptions, type IdempotentRun, type LockEventName } from 'bedrock-lock';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';

const LEASE_MS = 3_000;
const UNAVAILABLE = { code: 'BACKEND_UNAVAILABLE' };

describe('idempotency under faults', () => {
  let clock: ManualClock;
  let store: MemoryStore;
  let backend: FaultyBackend;
  let bedrock: Bedrock;
  let events: LockEventName[];

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryStore(clock);
    backend = new FaultyBackend(memory({ store, clock }), { clock });
    bedrock = new Bedrock({ backend, clock });
    events = [];
    for (const name of ['lost', 'unconfirmed', 'unprotected', 'abandoned', 'completed'] as const)
      bedrock.on(`idempotency.${name}`, () => void events.push(`idempotency.${name}`));
  });
  afterEach(() => bedrock.close({ graceMs: 0 }));

  const payments = (options: IdempotencyOptions = {}) =>
    bedrock.idempotency('payments', { leaseMs: LEASE_MS, ...options });
  const row = () => store.records.read('payments:::k');

  function longBody() {
    const runs: IdempotentRun[] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const body = async (run: IdempotentRun): Promise<string> => {
      runs.push(run);
      await ended;
      return 'done';
    };
    return { runs, body, end: () => end() };
  }

  it('runs nothing when the store does not answer, and takes back what it may have recorded', async () => {
    let runs = 0;
    backend.plan('records.begin', { kind: 'loseReply' });
    await expect(payments().run({ key: 'k' }, () => (runs += 1))).rejects.toMatchObject(UNAVAILABLE);
    expect(runs).toBe(0);
    await clock.advance(0);
    expect(row()).toBeUndefined();
  });

  it('takes back what the store records after that was taken back already', async () => {
    const { operationTimeoutMs } = backend;
    backend.plan('records.begin', { kind: 'delay', requestMs: operationTimeoutMs / 2, giveUpMs: 20 });
    const refused = expect(payments().run({ key: 'k' }, () => 'paid')).rejects.toMatchObject(UNAVAILABLE);
    await clock.advance(20);
    await refused;
    expect(backend.calls.map(({ verb }) => verb)).toContain('records.abandon');
    await clock.advance(operationTimeoutMs / 2);
    expect(row()).toBeDefined();
    await clock.advance(operationTimeoutMs);
    expect(row()).toBeUndefined();
    expect(await payments().run({ key: 'k' }, () => 'paid')).toEqual({ value: 'paid', replayed: false });
  });

  it('records nothing after the time of the request', async () => {
    const { operationTimeoutMs } = backend;
    backend.plan('records.begin', { kind: 'delay', requestMs: 3 * operationTimeoutMs });
    const refused = expect(payments().run({ key: 'k' }, () => 'paid')).rejects.toMatchObject(UNAVAILABLE);
    await clock.advance(operationTimeoutMs);
    await refused;
    await clock.advance(2 * operationTimeoutMs);
    expect(row()).toBeUndefined();
  });

  it('takes back what turns up while the locks are still closing', async () => {
    const lease = await bedrock.mutex('other').acquire();
    backend.plan('records.begin', { kind: 'delay', replyMs: 2 * LEASE_MS, giveUpMs: 100 });
    const refused = expect(payments().run({ key: 'k' }, () => 'paid')).rejects.toMatchObject(UNAVAILABLE);
    await clock.advance(0);
    const closed = bedrock.close({ graceMs: 1_000 });
    await clock.advance(100);
    await refused;
    await clock.advance(0);
    expect(row()).toBeUndefined();
    await lease.release();
    await clock.advance(1_000);
    await closed;
  });

  it('asks no more for what it takes back when it is closed', async () => {
    backend.plan('records.begin', { kind: 'loseReply' });
    backend.plan('records.abandon', { kind: 'refuse', forEver: true });
    await expect(payments().run({ key: 'k' }, () => 'paid')).rejects.toMatchObject(UNAVAILABLE);
    await bedrock.close({ graceMs: 0 });
    await clock.advance(0);
    expect(clock.nextDueAt).toBeUndefined();
  });

  it('runs without a record when configured to, and says so', async () => {
    backend.plan('records.begin', { kind: 'refuse' });
    const answer = await payments({ onUnavailable: 'run' }).run({ key: 'k' }, ({ signal }) => signal.aborted);
    expect(answer).toEqual({ value: false, replayed: false });
    expect(events).toEqual(['idempotency.unprotected']);
  });

  it('never takes an error of the body for one of the store', async () => {
    const error = Object.assign(new Error('no answer'), UNAVAILABLE);
    let runs = 0;
    const fail = () => {
      runs += 1;
      return Promise.reject(error);
    };
    await expect(payments({ onUnavailable: 'run' }).run({ key: 'k' }, fail)).rejects.toBe(error);
    expect(runs).toBe(1);
  });

  it('stores a result though some answers are lost', async () => {
    backend.plan('records.complete', { kind: 'refuse' }, 2).plan('records.complete', { kind: 'loseReply' });
    const running = payments().run({ key: 'k' }, () => 'paid');
    await clock.advance(1_000);
    expect(await running).toEqual({ value: 'paid', replayed: false });
    expect(events).toEqual(['idempotency.completed']);
    expect((await payments().run({ key: 'k' }, () => 'again')).value).toBe('paid');
  });

  it('gives the result of a run that could not be stored, says so, and stores it when that can be', async () => {
    backend.plan('records.complete', { kind: 'refuse' }, Infinity);
    const running = payments({ leaseMs: 30_000 }).run({ key: 'k' }, () => 'paid');
    await clock.advance(2_000);
    expect(await running).toEqual({ value: 'paid', replayed: false });
    expect(events).toEqual(['idempotency.unconfirmed']);
    expect(row()?.value).toBeUndefined();
    backend.heal();
    await clock.advance(1_000);
    expect(row()?.value).toContain('paid');
  });

  it('gives up storing when the lease has ended', async () => {
    const { body, runs, end } = longBody();
    const running = payments().run({ key: 'k' }, body);
    await clock.advance(10);
    expect(runs).toHaveLength(1);
    backend.cutOff();
    end();
    await clock.advance(10_000);
    expect(await running).toEqual({ value: 'done', replayed: false });
    const calls = backend.calls.length;
    await clock.advance(60_000);
    expect(backend.calls).toHaveLength(calls);
    expect(clock.pendingTimers).toBe(0);
  });

  it('lives through renewals that are not answered, as long as one is within the lease', async () => {
    const { body, runs, end } = longBody();
    const running = payments().run({ key: 'k' }, body);
    await clock.advance(900);
    backend.plan('records.renew', { kind: 'loseRequest' }, 3);
    await clock.advance(LEASE_MS * 2);
    expect(runs[0]!.signal.aborted).toBe(false);
    end();
    expect(await running).toEqual({ value: 'done', replayed: false });
  });

  it('tells the body when no renewal was answered for a lease, and its result counts no more', async () => {
    const { body, runs, end } = longBody();
    const running = payments().run({ key: 'k' }, body);
    await clock.advance(1);
    backend.plan('records.renew', { kind: 'loseRequest' }, Infinity);
    await clock.advance(LEASE_MS - 100);
    expect(runs[0]!.signal.aborted).toBe(false);
    await clock.advance(200);
    expect(runs[0]!.signal.aborted).toBe(true);
    expect(runs[0]!.signal.reason).toMatchObject({ code: 'IDEMPOTENCY_LOST' });
    end();
    await expect(running).rejects.toMatchObject({ code: 'IDEMPOTENCY_LOST' });
    expect(events).toEqual(['idempotency.lost']);
  });

  it('renews no more once its run has ended, and leaves no timer', async () => {
    await payments().run({ key: 'k' }, () => 1);
    await expect(payments().run({ key: 'f' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(LEASE_MS * 3);
    expect(backend.callsOf('records.renew')).toHaveLength(0);
  });

  it('renews no more when its run ends while a renewal is in flight', async () => {
    const { body, end } = longBody();
    const running = payments().run({ key: 'k' }, body);
    backend.plan('records.renew', { kind: 'delay', replyMs: 500 });
    await clock.advance(LEASE_MS / 3 + 100);
    end();
    await running;
    await clock.advance(LEASE_MS * 3);
    expect(backend.callsOf('records.renew')).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('throws the error of the body, though the record cannot be removed', async () => {
    backend.plan('records.abandon', { kind: 'refuse' });
    await expect(payments().run({ key: 'k' }, () => Promise.reject(new Error('mine')))).rejects.toThrow(
      'mine',
    );
  });

  it('ends the wait for the first request when the signal aborts, without a timer left', async () => {
    const { body, end } = longBody();
    const first = payments().run({ key: 'k' }, body);
    const aborting = new AbortController();
    const second = payments().run({ key: 'k', waitMs: 60_000, signal: aborting.signal }, body);
    const rejected = expect(second).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    await clock.advance(100);
    aborting.abort();
    await rejected;
    end();
    await first;
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the wait at once when the signal aborted while the backend was asked', async () => {
    const { body, end } = longBody();
    const first = payments().run({ key: 'k' }, body);
    await clock.advance(0);
    const aborting = new AbortController();
    backend.plan('records.begin', { kind: 'delay', requestMs: 10 });
    const second = payments().run({ key: 'k', waitMs: 60_000, signal: aborting.signal }, body);
    const rejected = expect(second).rejects.toMatchObject({ code: 'LOCK_ABORTED' });
    aborting.abort();
    await clock.advance(10);
    await rejected;
    end();
    await first;
  });

  it('counts a token once, though the answer to its use was lost', async () => {
    const token = await payments().issueToken();
    backend.plan('records.complete', { kind: 'loseReply' });
    expect(await payments().consume(token)).toBe(true);
    expect(await payments().consume(token)).toBe(false);
  });

  it('asks the store twice for a first request, and once for a repeated one', async () => {
    await payments().run({ key: 'k' }, () => 1);
    expect(backend.calls.map(({ verb }) => verb)).toEqual(['records.begin', 'records.complete']);
    await payments().run({ key: 'k' }, () => 1);
    expect(backend.calls).toHaveLength(3);
  });
});
