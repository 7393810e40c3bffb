import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Bedrock, ExpirableSemaphore, Permit } from 'bedrock-lock';
import { ExclusionChecker } from '../../../history/exclusion-checker.js';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** Beyond the end of a lease, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

async function sharing(context: ContractContext, permits: number, peers: number) {
  const bedrocks: Bedrock[] = [];
  for (let i = 0; i < peers; i += 1) bedrocks.push(await context.peer());
  const semaphores = bedrocks.map((peer) => peer.expirableSemaphore(context.resource, { waitMs: 20_000 }));
  assert.equal(await semaphores[0]!.trySetPermits(permits), true);
  return { bedrocks, semaphores };
}

async function bare(context: ContractContext, count: number) {
  const backend = await context.backend();
  const permits = backend.permits!;
  await permits.create(context.resource, count, context.operation(backend));
  return { backend, permits, free: () => permits.available(context.resource) };
}

function newIds(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(16).toString('hex'));
}

export const expirableSemaphores: ContractGroup = {
  'never give more permits than there are, over processes': async (context) => {
    const { semaphores } = await sharing(context, 3, 3);
    const checker = new ExclusionChecker(3);
    const work = async (semaphore: ExpirableSemaphore, count: number): Promise<void> => {
      const permits = await semaphore.acquireMany(count);
      await checker.run(() => context.sleep(2), { units: count });
      for (const permit of permits) assert.equal(await permit.release(), 'released');
    };
    const jobs = semaphores.flatMap((semaphore) => [1, 2, 1, 3, 1].map((count) => work(semaphore, count)));
    await Promise.all(jobs);
    assert.equal(checker.assertExclusion().leases, jobs.length);
    assert.equal(await semaphores[1]!.availablePermits(), 3);
  },

  'name each permit, so that any process may release it': async (context) => {
    const { bedrocks, semaphores } = await sharing(context, 2, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const permits = await one.acquireMany(2);
    assert.equal(new Set(permits.map(({ id }) => id)).size, 2);
    for (const { id } of permits) assert.match(id, /^[0-9a-f]{32}$/);
    const waiting = one.acquire();
    await context.waiting(bedrocks[0]!, 1);
    await context.within('the hand-over', PROMPT_MS, async () => {
      assert.equal(await other.release(permits[0]!.id), 'released');
      await waiting;
    });
    assert.equal(await one.release(permits[0]!.id), 'lost');
    assert.equal(await permits[0]!.release(), 'lost');
    assert.equal(await other.release('0'.repeat(32)), 'lost');
    assert.equal(await one.availablePermits(), 0);
  },

  'take a permit back when its lease has ended, for a waiter without polling': async (context) => {
    const { semaphores } = await sharing(context, 1, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const { stayMs: leaseMs } = context;
    const start = context.now();
    const permit = await one.acquire({ leaseMs });
    assert.ok(permit.isHeld && permit.remainingMs <= leaseMs && permit.validUntil < start + leaseMs + 1_000);
    const next: Permit = await context.within('the end of the lease', leaseMs + PROMPT_MS, () =>
      other.acquire(),
    );
    const waited = context.now() - start;
    assert.ok(waited >= leaseMs, `taken ${leaseMs - waited} ms before the lease had ended`);
    assert.equal(permit.isHeld, false);
    assert.equal(await permit.extend(5_000), false);
    assert.equal(await permit.release(), 'lost');
    assert.equal(await next.release(), 'released');
    assert.equal(await one.availablePermits(), 1);
  },

  'count permits whose lease has ended as free': async (context) => {
    const { semaphores } = await sharing(context, 2, 1);
    const [semaphore] = semaphores as [ExpirableSemaphore];
    const leaseMs = context.stayMs;
    await semaphore.acquireMany(2, { leaseMs });
    assert.equal(await semaphore.availablePermits(), 0);
    await context.sleep(leaseMs + 20);
    assert.equal(await semaphore.availablePermits(), 2);
  },

  'move the end of a lease from any process, to later and to earlier': async (context) => {
    const { semaphores } = await sharing(context, 1, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const leaseMs = context.stayMs;
    const permit = await one.acquire({ leaseMs });
    assert.equal(await other.extend(permit.id, 5_000), true);
    await context.sleep(leaseMs + 100);
    assert.equal(await other.tryAcquire(), null);
    assert.equal(await permit.extend(100), true);
    const next = await other.acquire({ waitMs: 2_000 });
    assert.equal(await one.extend(permit.id, 5_000), false);
    await next.release();
  },

  'keep a permit without an end until it is released': async (context) => {
    const { semaphores } = await sharing(context, 1, 1);
    const [semaphore] = semaphores as [ExpirableSemaphore];
    const permit = await semaphore.acquire({ leaseMs: Infinity });
    assert.equal(permit.validUntil, Infinity);
    await assert.rejects(semaphore.acquire({ waitMs: 1_000 }), {
      code: 'LOCK_WAIT_TIMEOUT',
      lack: 'permits free when last asked: 0',
    });
    assert.equal(await permit.release(), 'released');
    assert.equal(await permit.release(), 'released');
    assert.equal(await semaphore.availablePermits(), 1);
  },

  'take nothing for callers that have left or are closed': async (context) => {
    const { bedrocks, semaphores } = await sharing(context, 1, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const hasty = new AbortController();
    const late = other.acquire({ leaseMs: Infinity, signal: hasty.signal });
    hasty.abort();
    await assert.rejects(late, { code: 'LOCK_ABORTED' });
    await context.eventually('the permit is free', async () => (await one.availablePermits()) === 1);
    const permit = await one.acquire();
    const waiting = assert.rejects(other.acquire({ leaseMs: Infinity }), { code: 'LOCK_CLOSED' });
    await context.waiting(bedrocks[1]!, 1);
    await bedrocks[1]!.close();
    await waiting;
    await permit.release();
    assert.equal(await one.availablePermits(), 1);
  },

  'are refused on a name that a lock has': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await one.mutex(context.resource).acquire();
    const semaphore = other.expirableSemaphore(context.resource);
    const isMismatch = { code: 'LOCK_TYPE_MISMATCH', resource: context.resource };
    await assert.rejects(semaphore.trySetPermits(1), isMismatch);
    await assert.rejects(semaphore.acquire(), isMismatch);
    await assert.rejects(semaphore.release('0'.repeat(32)), isMismatch);
    await assert.rejects(semaphore.availablePermits(), isMismatch);
    await lease.release();
  },

  'take and give once for an operation that is repeated': async (context) => {
    const { backend, permits, free } = await bare(context, 3);
    const wants = [
      { ids: newIds(1), leaseMs: 5_000 },
      { ids: newIds(2), leaseMs: 5_000 },
      { ids: newIds(1), leaseMs: 5_000 },
    ];
    const taking = context.operation(backend);
    for (const attempt of [1, 2]) {
      const taken = await permits.take(context.resource, wants, { ...taking, attempt });
      assert.deepEqual([taken.served, taken.free], [2, 0]);
      assert.ok(taken.retryInMs > 3_000 && taken.retryInMs <= 5_000);
    }
    const giving = context.operation(backend);
    for (const attempt of [1, 2]) {
      assert.equal(await permits.release(context.resource, wants[1]!.ids, { ...giving, attempt }), 2);
      assert.equal(await free(), 2);
    }
  },

  'forbid a request by a release under its operation that comes first': async (context) => {
    const { backend, permits, free } = await bare(context, 3);
    const [want] = [{ ids: newIds(2), leaseMs: Infinity }];
    const taking = context.operation(backend);
    assert.equal(await permits.release(context.resource, want.ids, { ...taking, attempt: 2 }), 0);
    assert.equal((await permits.take(context.resource, [want], taking)).served, 0);
    assert.equal(await free(), 3);
  },

  'refuse a change that arrives after its time': async (context) => {
    const { backend, permits, free } = await bare(context, 3);
    const late = () => context.operation(backend, { notAfter: context.now() - 100 });
    const isRefused = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
    const want = { ids: newIds(1), leaseMs: 5_000 };
    await assert.rejects(permits.take(context.resource, [want], late()), isRefused);
    await permits.take(context.resource, [want], context.operation(backend));
    await assert.rejects(permits.extend(context.resource, want.ids[0]!, 9_000, late()), isRefused);
    await assert.rejects(permits.release(context.resource, want.ids, late()), isRefused);
    assert.equal(await free(), 2);
  },
};
