import assert from 'node:assert/strict';
import type { IdempotentRun } from 'bedrock-lock';
import type { RecordDriver } from 'bedrock-lock/backend';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

const KEY = 'order-1';

async function bare(context: ContractContext): Promise<{ records: RecordDriver; resource: string }> {
  return { records: (await context.backend()).records!, resource: context.resource };
}

/** A body that ends on demand. */
function longBody<T>(value: T) {
  const runs: IdempotentRun[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const body = async (run: IdempotentRun): Promise<T> => {
    runs.push(run);
    await ended;
    return value;
  };
  return { runs, body, end: () => end() };
}

export const idempotency: ContractGroup = {
  'run a request once, and answer its repetitions in every process with the first result': async (
    context,
  ) => {
    const [one, other] = [await context.peer(), await context.peer()];
    let runs = 0;
    const body = () => ({ id: ++runs, note: 'žluť' });
    const request = { key: KEY, scope: 'tenant-1', payload: { amount: 5, to: 'a' } };
    const first = await one.idempotency(context.resource).run(request, body);
    assert.deepEqual(first, { value: { id: 1, note: 'žluť' }, replayed: false });
    // The same payload with its fields in another order.
    const again = { ...request, payload: { to: 'a', amount: 5 } };
    const second = await other.idempotency(context.resource).run(again, body);
    assert.deepEqual(second, { value: { id: 1, note: 'žluť' }, replayed: true });
    const third = await other.idempotency(context.resource).run({ ...request, scope: 'tenant-2' }, body);
    assert.deepEqual([third.value.id, third.replayed], [2, false]);
  },

  'run a request once, however many of it come at once': async (context) => {
    const peers = await Promise.all([context.peer(), context.peer(), context.peer()]);
    let runs = 0;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        peers[at % 3]!.idempotency(context.resource).run({ key: KEY, waitMs: 10_000 }, async () => {
          runs += 1;
          await context.sleep(30);
          return runs;
        }),
      ),
    );
    assert.equal(runs, 1);
    assert.deepEqual([...new Set(answers.map(({ value }) => value))], [1]);
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
  },

  'refuse what comes while the first request is in flight, and another request under its key': async (
    context,
  ) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const { body, runs, end } = longBody('done');
    const first = one.idempotency(context.resource).run({ key: KEY, payload: 1 }, body);
    await context.eventually('it runs', () => runs.length === 1);
    const late = other.idempotency(context.resource);
    await assert.rejects(late.run({ key: KEY, payload: 1 }, body), (error: Error) => {
      const { code, remainingMs } = error as Error & { code: string; remainingMs: number };
      assert.equal(code, 'IDEMPOTENCY_IN_FLIGHT');
      return remainingMs > 0 && remainingMs <= 30_000;
    });
    const isMismatch = { code: 'IDEMPOTENCY_MISMATCH' };
    await assert.rejects(late.run({ key: KEY, payload: 2 }, body), isMismatch);
    assert.equal((await late.inspect(KEY))?.state, 'inFlight');
    end();
    await first;
    await assert.rejects(late.run({ key: KEY, payload: 2 }, body), isMismatch);
    assert.equal((await late.inspect(KEY))?.state, 'completed');
    assert.equal(runs.length, 1);
  },

  'leave nothing of a run that failed, so that the next one runs': async (context) => {
    const payments = (await context.peer()).idempotency(context.resource);
    await assert.rejects(
      payments.run({ key: KEY }, () => Promise.reject(new Error('no money'))),
      { message: 'no money' },
    );
    assert.equal(await payments.inspect(KEY), undefined);
    assert.deepEqual(await payments.run({ key: KEY }, () => 'paid'), { value: 'paid', replayed: false });
    assert.equal(await payments.forget(KEY), true);
    assert.equal(await payments.forget(KEY), false);
    await context.becomesEmpty();
  },

  'keep a key while its run lives, far longer than a lease': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const { body, runs, end } = longBody('slow');
    const { renewedLeaseMs: leaseMs } = context;
    const first = one.idempotency(context.resource, { leaseMs }).run({ key: KEY }, body);
    await context.eventually('it runs', () => runs.length === 1);
    const late = other.idempotency(context.resource, { leaseMs });
    const until = context.now() + 2 * leaseMs;
    while (context.now() < until) {
      await assert.rejects(late.run({ key: KEY }, body), { code: 'IDEMPOTENCY_IN_FLIGHT' });
      await context.sleep(50);
    }
    assert.equal(runs[0]!.signal.aborted, false);
    end();
    assert.deepEqual(await first, { value: 'slow', replayed: false });
    assert.deepEqual(await late.run({ key: KEY }, body), { value: 'slow', replayed: true });
  },

  'give the key of a run that died to the next one when its lease has ended': async (context) => {
    const { records, resource } = await bare(context);
    const dead = { resource: `${resource}:::${KEY}`, owner: 'dead', fingerprint: '' };
    const next = (await context.peer()).idempotency(context.resource);
    const start = context.now();
    assert.equal(await records.begin({ ...dead, leaseMs: 500, notAfter: Infinity }), undefined);
    const answer = await context.within('the take-over', 2_000, () =>
      next.run({ key: KEY, waitMs: 10_000 }, () => 'taken over'),
    );
    assert.deepEqual(answer, { value: 'taken over', replayed: false });
    const ms = context.now() - start;
    assert.ok(ms >= 500, `taken over ${500 - ms} ms before the lease had ended`);
    // The process that was considered dead returns: it changes nothing.
    assert.equal(await records.renew(dead, 5_000), false);
    assert.equal(await records.complete(dead, 'stale', 60_000), false);
    assert.equal(await records.abandon(dead), false);
    assert.deepEqual(await next.run({ key: KEY }, () => 'again'), { value: 'taken over', replayed: true });
  },

  'tell a run that its record was lost': async (context) => {
    const payments = (await context.peer()).idempotency(context.resource, { leaseMs: 3_000 });
    const { body, runs, end } = longBody('stale');
    const first = payments.run({ key: KEY }, body);
    await context.eventually('it runs', () => runs.length === 1);
    await payments.forget(KEY);
    const second = await payments.run({ key: KEY }, () => 'fresh');
    assert.equal(second.replayed, false);
    const lost = assert.rejects(first, { code: 'IDEMPOTENCY_LOST' });
    await context.eventually('it was told', () => runs[0]!.signal.aborted, 3_000);
    end();
    await lost;
    assert.deepEqual(await payments.run({ key: KEY }, () => 'no'), { value: 'fresh', replayed: true });
  },

  'forget a result after its time': async (context) => {
    const { stayMs: keepMs } = context;
    const payments = (await context.peer()).idempotency(context.resource, { keepMs });
    const isFree = async () => (await payments.inspect(KEY)) === undefined;
    assert.equal((await payments.run({ key: KEY }, () => 1)).replayed, false);
    assert.equal((await payments.run({ key: KEY }, () => 2)).replayed, true);
    await context.eventually('it is free', isFree, keepMs + 2_000);
    assert.deepEqual(await payments.run({ key: KEY }, () => 3), { value: 3, replayed: false });
    await context.eventually('it is free', isFree, keepMs + 2_000);
  },

  'let a token be used once, by the first caller': async (context) => {
    const peers = [await context.peer(), await context.peer()];
    const [one, other] = peers.map((peer) => peer.idempotency(context.resource));
    const token = await one!.issueToken();
    const used = await Promise.all(
      Array.from({ length: 20 }, (_, at) => [one!, other!][at % 2]!.consume(token)),
    );
    assert.equal(used.filter((is) => is).length, 1);
    assert.equal(await other!.consume('never-issued'), false);
    const short = await one!.issueToken({ ttlMs: 50 });
    await context.sleep(150);
    assert.equal(await one!.consume(short), false);
  },

  'answer a repeated verb as before': async (context) => {
    const { records, resource } = await bare(context);
    const mine = { resource, owner: 'mine' };
    const start = { ...mine, fingerprint: 'f', leaseMs: 10_000, notAfter: Infinity };
    assert.equal(await records.begin(start), undefined);
    assert.equal(await records.begin({ ...start, leaseMs: 20_000 }), undefined);
    const view = await records.begin({ ...start, owner: 'yours' });
    assert.deepEqual([view?.owner, view?.fingerprint, view?.value], ['mine', 'f', undefined]);
    assert.ok(view!.remainingMs > 15_000 && view!.remainingMs <= 20_000);
    assert.equal(await records.complete({ ...mine, owner: 'yours' }, 'no', 10_000), false);
    assert.equal(await records.complete(mine, 'yes', 10_000), true);
    assert.equal(await records.complete(mine, 'yes', 10_000), true);
    assert.equal(await records.complete(mine, 'other', 10_000), false);
    assert.equal(await records.abandon(mine), false);
    assert.equal(await records.renew(mine, 10_000), false);
    // A new begin by its owner returns the stored value: it is completed.
    assert.equal((await records.begin(start))?.value, 'yes');
    assert.equal((await records.read(resource))?.value, 'yes');
    assert.equal(await records.remove(resource), true);
    assert.equal(await records.read(resource), undefined);
    await context.becomesEmpty();
  },

  'begin nothing after its time': async (context) => {
    const { records, resource } = await bare(context);
    const start = { resource, owner: 'mine', fingerprint: 'f', leaseMs: 10_000 };
    const late = { ...start, notAfter: context.now() - 50 };
    await assert.rejects(records.begin(late), { code: 'BACKEND_UNAVAILABLE', executed: 'no' });
    assert.equal(await records.read(resource), undefined);
    assert.equal(await records.begin({ ...start, notAfter: context.now() + 10_000 }), undefined);
    assert.equal((await records.read(resource))?.owner, 'mine');
  },

  'share a name with a lock': async (context) => {
    const peer = await context.peer();
    const { records, resource } = await bare(context);
    assert.equal(
      await records.begin({ resource, owner: 'mine', fingerprint: '', leaseMs: 10_000, notAfter: Infinity }),
      undefined,
    );
    const lease = await peer.mutex(resource).acquire();
    assert.equal((await records.read(resource))?.owner, 'mine');
    await lease.release();
    await records.remove(resource);
  },

  'wait for runs when they close, and begin nothing any more': async (context) => {
    const peer = await context.peer();
    const payments = peer.idempotency(context.resource);
    const { body, runs, end } = longBody('in time');
    const running = payments.run({ key: KEY }, body);
    await context.eventually('it runs', () => runs.length === 1);
    const closed = peer.close({ graceMs: 5_000 });
    await assert.rejects(payments.run({ key: 'other' }, body), { code: 'LOCK_CLOSED' });
    end();
    assert.deepEqual(await running, { value: 'in time', replayed: false });
    await closed;
    const other = (await context.peer()).idempotency(context.resource);
    assert.equal((await other.run({ key: KEY }, body)).replayed, true);
  },
};
