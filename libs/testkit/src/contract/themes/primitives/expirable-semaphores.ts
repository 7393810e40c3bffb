import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Bedrock, ExpirableSemaphore, Permit } from 'bedrock-lock';
import { Witness } from '../../../history/witness.js';
import type { ContractTheme } from '../../context/contract-theme.js';
import type { Stage } from '../../context/stage.js';

/** Beyond the end of a lease, with slack for a busy machine. */
const PROMPT_MS = 500;

async function sharing(stage: Stage, permits: number, peers: number) {
  const bedrocks: Bedrock[] = [];
  for (let i = 0; i < peers; i += 1) bedrocks.push(await stage.peer());
  const semaphores = bedrocks.map((peer) => peer.expirableSemaphore(stage.resource, { waitMs: 20_000 }));
  assert.equal(await semaphores[0]!.trySetPermits(permits), true);
  return { bedrocks, semaphores };
}

async function bare(stage: Stage, count: number) {
  const backend = await stage.backend();
  const permits = backend.permits!;
  await permits.create(stage.resource, count, stage.operation(backend));
  return { backend, permits, free: () => permits.available(stage.resource) };
}

function newIds(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(16).toString('hex'));
}

export const expirableSemaphores: ContractTheme = {
  'never give more permits than there are, over processes': async (stage) => {
    const { semaphores } = await sharing(stage, 3, 3);
    const witness = new Witness(3);
    const work = async (semaphore: ExpirableSemaphore, count: number): Promise<void> => {
      const permits = await semaphore.acquireMany(count);
      await witness.visit(() => stage.pass(2), { units: count });
      for (const permit of permits) assert.equal(await permit.release(), 'released');
    };
    const jobs = semaphores.flatMap((semaphore) => [1, 2, 1, 3, 1].map((count) => work(semaphore, count)));
    await Promise.all(jobs);
    assert.equal(witness.assertKept().leases, jobs.length);
    assert.equal(await semaphores[1]!.availablePermits(), 3);
  },

  'name each permit, so that any process may release it': async (stage) => {
    const { bedrocks, semaphores } = await sharing(stage, 2, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const permits = await one.acquireMany(2);
    assert.equal(new Set(permits.map(({ id }) => id)).size, 2);
    for (const { id } of permits) assert.match(id, /^[0-9a-f]{32}$/);
    const waiting = one.acquire();
    await stage.waiting(bedrocks[0]!, 1);
    await stage.within('the hand-over', PROMPT_MS, async () => {
      assert.equal(await other.release(permits[0]!.id), 'released');
      await waiting;
    });
    assert.equal(await one.release(permits[0]!.id), 'lost');
    assert.equal(await permits[0]!.release(), 'lost');
    assert.equal(await other.release('0'.repeat(32)), 'lost');
    assert.equal(await one.availablePermits(), 0);
  },

  'take a permit back when its lease has ended, for a waiter without polling': async (stage) => {
    const { semaphores } = await sharing(stage, 1, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const start = stage.now();
    const permit = await one.acquire({ leaseMs: 300 });
    assert.ok(permit.isHeld && permit.remainingMs <= 300 && permit.validUntil < start + 1_300);
    const next: Permit = await stage.within('the end of the lease', 300 + PROMPT_MS, () => other.acquire());
    const waited = stage.now() - start;
    assert.ok(waited >= 300, `taken ${300 - waited} ms before the lease had ended`);
    assert.equal(permit.isHeld, false);
    assert.equal(await permit.extend(5_000), false);
    assert.equal(await permit.release(), 'lost');
    assert.equal(await next.release(), 'released');
    assert.equal(await one.availablePermits(), 1);
  },

  'count permits whose lease has ended as free': async (stage) => {
    const { semaphores } = await sharing(stage, 2, 1);
    const [semaphore] = semaphores as [ExpirableSemaphore];
    const leaseMs = stage.briefMs;
    await semaphore.acquireMany(2, { leaseMs });
    assert.equal(await semaphore.availablePermits(), 0);
    await stage.pass(leaseMs + 20);
    assert.equal(await semaphore.availablePermits(), 2);
  },

  'move the end of a lease from any process, to later and to earlier': async (stage) => {
    const { semaphores } = await sharing(stage, 1, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const leaseMs = stage.briefMs;
    const permit = await one.acquire({ leaseMs });
    assert.equal(await other.extend(permit.id, 5_000), true);
    await stage.pass(leaseMs + 100);
    assert.equal(await other.tryAcquire(), null);
    assert.equal(await permit.extend(100), true);
    const next = await other.acquire({ waitMs: 2_000 });
    assert.equal(await one.extend(permit.id, 5_000), false);
    await next.release();
  },

  'keep a permit without an end until it is released': async (stage) => {
    const { semaphores } = await sharing(stage, 1, 1);
    const [semaphore] = semaphores as [ExpirableSemaphore];
    const permit = await semaphore.acquire({ leaseMs: Infinity });
    assert.equal(permit.validUntil, Infinity);
    await assert.rejects(semaphore.acquire({ waitMs: 100 }), {
      code: 'LOCK_WAIT_TIMEOUT',
      lack: 'permits free when last asked: 0',
    });
    assert.equal(await permit.release(), 'released');
    assert.equal(await permit.release(), 'released');
    assert.equal(await semaphore.availablePermits(), 1);
  },

  'take nothing for callers that have left or are closed': async (stage) => {
    const { bedrocks, semaphores } = await sharing(stage, 1, 2);
    const [one, other] = semaphores as [ExpirableSemaphore, ExpirableSemaphore];
    const hasty = new AbortController();
    const late = other.acquire({ leaseMs: Infinity, signal: hasty.signal });
    hasty.abort();
    await assert.rejects(late, { code: 'LOCK_ABORTED' });
    await stage.eventually('the permit is free', async () => (await one.availablePermits()) === 1);
    const permit = await one.acquire();
    const waiting = assert.rejects(other.acquire({ leaseMs: Infinity }), { code: 'LOCK_CLOSED' });
    await stage.waiting(bedrocks[1]!, 1);
    await bedrocks[1]!.close();
    await waiting;
    await permit.release();
    assert.equal(await one.availablePermits(), 1);
  },

  'are refused on a name that a lock has': async (stage) => {
    const [one, other] = [await stage.peer(), await stage.peer()];
    const lease = await one.mutex(stage.resource).acquire();
    const semaphore = other.expirableSemaphore(stage.resource);
    const isMismatch = { code: 'LOCK_TYPE_MISMATCH', resource: stage.resource };
    await assert.rejects(semaphore.trySetPermits(1), isMismatch);
    await assert.rejects(semaphore.acquire(), isMismatch);
    await assert.rejects(semaphore.release('0'.repeat(32)), isMismatch);
    await assert.rejects(semaphore.availablePermits(), isMismatch);
    await lease.release();
  },

  'take and give once for an operation that is repeated': async (stage) => {
    const { backend, permits, free } = await bare(stage, 3);
    const wants = [
      { ids: newIds(1), leaseMs: 5_000 },
      { ids: newIds(2), leaseMs: 5_000 },
      { ids: newIds(1), leaseMs: 5_000 },
    ];
    const taking = stage.operation(backend);
    for (const attempt of [1, 2]) {
      const taken = await permits.take(stage.resource, wants, { ...taking, attempt });
      assert.deepEqual([taken.served, taken.free], [2, 0]);
      assert.ok(taken.retryInMs > 3_000 && taken.retryInMs <= 5_000);
    }
    const giving = stage.operation(backend);
    for (const attempt of [1, 2]) {
      assert.equal(await permits.release(stage.resource, wants[1]!.ids, { ...giving, attempt }), 2);
      assert.equal(await free(), 2);
    }
  },

  'forbid a request by a release under its operation that comes first': async (stage) => {
    const { backend, permits, free } = await bare(stage, 3);
    const [want] = [{ ids: newIds(2), leaseMs: Infinity }];
    const taking = stage.operation(backend);
    assert.equal(await permits.release(stage.resource, want.ids, { ...taking, attempt: 2 }), 0);
    assert.equal((await permits.take(stage.resource, [want], taking)).served, 0);
    assert.equal(await free(), 3);
  },

  'refuse a change that arrives after its time': async (stage) => {
    const { backend, permits, free } = await bare(stage, 3);
    const late = () => stage.operation(backend, { notAfter: stage.now() - 100 });
    const isRefused = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
    const want = { ids: newIds(1), leaseMs: 5_000 };
    await assert.rejects(permits.take(stage.resource, [want], late()), isRefused);
    await permits.take(stage.resource, [want], stage.operation(backend));
    await assert.rejects(permits.extend(stage.resource, want.ids[0]!, 9_000, late()), isRefused);
    await assert.rejects(permits.release(stage.resource, want.ids, late()), isRefused);
    assert.equal(await free(), 2);
  },
};
