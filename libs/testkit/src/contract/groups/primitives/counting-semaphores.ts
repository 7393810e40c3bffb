import assert from 'node:assert/strict';
import type { Bedrock, CountingSemaphore } from 'bedrock-lock';
import type { Counter } from 'bedrock-lock/backend';
import { ExclusionChecker } from '../../../history/exclusion-checker.js';
import type { ContractGroup } from '../../context/contract-group.js';
import type { ContractContext } from '../../context/contract-context.js';

/** A wake without the sweep, in ms, with slack for a busy machine. */
const PROMPT_MS = 500;

/** Peers with the context's semaphore of this many permits. */
async function sharing(context: ContractContext, permits: number, peers: number) {
  const bedrocks: Bedrock[] = [];
  for (let i = 0; i < peers; i += 1) bedrocks.push(await context.peer());
  const semaphores = bedrocks.map((peer) => peer.countingSemaphore(context.resource, { waitMs: 20_000 }));
  assert.equal(await semaphores[0]!.trySetPermits(permits), true);
  return { bedrocks, semaphores };
}

async function bare(context: ContractContext, permits: number) {
  const backend = await context.backend();
  const counters = backend.counters!;
  const counter: Counter = { kind: 'semaphore', resource: context.resource };
  await counters.create(counter, permits, context.operation(backend));
  return { backend, counters, counter, free: () => counters.read(counter) };
}

export const countingSemaphores: ContractGroup = {
  'never give more permits than there are, over processes': async (context) => {
    const { semaphores } = await sharing(context, 3, 3);
    const checker = new ExclusionChecker(3);
    const work = async (semaphore: CountingSemaphore, permits: number): Promise<void> => {
      await semaphore.acquire(permits);
      await checker.run(() => context.sleep(2), { units: permits });
      await semaphore.release(permits);
    };
    const jobs = semaphores.flatMap((semaphore) =>
      [1, 2, 1, 3, 1].map((permits) => work(semaphore, permits)),
    );
    await Promise.all(jobs);
    assert.equal(checker.assertExclusion().leases, jobs.length);
    assert.equal(await semaphores[1]!.availablePermits(), 3);
  },

  'wake a waiter of another process at once': async (context) => {
    const { bedrocks, semaphores } = await sharing(context, 1, 2);
    await semaphores[0]!.acquire();
    const waiting = semaphores[1]!.acquire();
    await context.waiting(bedrocks[1]!, 1);
    await context.within('the hand-over', PROMPT_MS, async () => {
      assert.equal(await semaphores[0]!.release(), 'released');
      await waiting;
    });
  },

  'serve the callers of a process in order, who wants more before who wants less': async (context) => {
    const { bedrocks, semaphores } = await sharing(context, 2, 2);
    const [holder, semaphore] = semaphores as [CountingSemaphore, CountingSemaphore];
    await holder.acquire(2);
    const served: string[] = [];
    const large = semaphore.acquire(2).then(() => served.push('large'));
    const small = semaphore.acquire(1).then(() => served.push('small'));
    await context.waiting(bedrocks[1]!, 2);
    await holder.release(1);
    // One permit is free, which is not enough for the first caller in the queue.
    assert.equal(await semaphore.tryAcquire(), false);
    await holder.release(1);
    await large;
    assert.deepEqual(served, ['large']);
    await semaphore.release(2);
    await small;
  },

  'try once': async (context) => {
    const { semaphores } = await sharing(context, 2, 1);
    const [semaphore] = semaphores as [CountingSemaphore];
    assert.deepEqual([await semaphore.tryAcquire(3), await semaphore.tryAcquire(2)], [false, true]);
    assert.equal(await semaphore.tryAcquire(), false);
    await assert.rejects(semaphore.acquire(1, { waitMs: 0 }), { code: 'LOCK_BUSY' });
    await assert.rejects(semaphore.acquire(1, { waitMs: 1_000 }), {
      code: 'LOCK_WAIT_TIMEOUT',
      lack: 'permits free when last asked: 0',
    });
  },

  'take nothing for callers that have left': async (context) => {
    const { bedrocks, semaphores } = await sharing(context, 1, 2);
    await semaphores[0]!.acquire();
    const controller = new AbortController();
    const left = semaphores[1]!.acquire(1, { signal: controller.signal });
    await context.waiting(bedrocks[1]!, 1);
    controller.abort();
    await assert.rejects(left, { code: 'LOCK_ABORTED' });
    await semaphores[0]!.release();
    await context.eventually(
      'the permit is free',
      async () => (await semaphores[0]!.availablePermits()) === 1,
    );
    // Aborted while the request is in flight: its permits are returned.
    const hasty = new AbortController();
    const late = semaphores[1]!.acquire(1, { signal: hasty.signal });
    hasty.abort();
    await assert.rejects(late, { code: 'LOCK_ABORTED' });
    await context.eventually('no request is in flight', () => bedrocks[1]!.stats().pendingWithdrawals === 0);
    await context.eventually(
      'the permit is free',
      async () => (await semaphores[0]!.availablePermits()) === 1,
    );
  },

  'are made larger, smaller, and empty': async (context) => {
    const { semaphores } = await sharing(context, 3, 1);
    const [semaphore] = semaphores as [CountingSemaphore];
    assert.equal(await semaphore.trySetPermits(9), false);
    assert.equal(await semaphore.addPermits(4), 7);
    assert.equal(await semaphore.drainPermits(), 7);
    assert.equal(await semaphore.drainPermits(), 0);
    assert.equal(await semaphore.addPermits(-2), -2);
    await semaphore.release(2);
    assert.equal(await semaphore.tryAcquire(), false);
    await semaphore.release(1);
    assert.equal(await semaphore.tryAcquire(), true);
    assert.equal(await semaphore.availablePermits(), 0);
  },

  'wake when permits are added or set': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const options = { waitMs: 20_000 };
    const waiting = other.countingSemaphore(context.resource, options).acquire();
    await context.waiting(other, 1);
    await context.within('the wake by permits that are set', PROMPT_MS, async () => {
      await one.countingSemaphore(context.resource, options).trySetPermits(1);
      await waiting;
    });
    const next = other.countingSemaphore(context.resource, options).acquire();
    await context.waiting(other, 1);
    await context.within('the wake by permits that are added', PROMPT_MS, async () => {
      await one.countingSemaphore(context.resource, options).addPermits(1);
      await next;
    });
  },

  'reject their waiters when the process closes, and take nothing more': async (context) => {
    const { bedrocks, semaphores } = await sharing(context, 1, 2);
    await semaphores[0]!.acquire();
    const waiting = [1, 2].map(() => assert.rejects(semaphores[1]!.acquire(), { code: 'LOCK_CLOSED' }));
    await context.waiting(bedrocks[1]!, 2);
    await bedrocks[1]!.close();
    await Promise.all(waiting);
    await assert.rejects(semaphores[1]!.acquire(), { code: 'LOCK_CLOSED' });
    await assert.rejects(semaphores[1]!.release(), { code: 'LOCK_CLOSED' });
    await semaphores[0]!.release();
    assert.equal(await semaphores[0]!.availablePermits(), 1);
  },

  'are refused on a name that a lock has': async (context) => {
    const [one, other] = [await context.peer(), await context.peer()];
    const lease = await one.mutex(context.resource).acquire();
    const semaphore = other.countingSemaphore(context.resource);
    const isMismatch = { code: 'LOCK_TYPE_MISMATCH', resource: context.resource };
    await assert.rejects(semaphore.trySetPermits(1), isMismatch);
    await assert.rejects(semaphore.acquire(), isMismatch);
    await assert.rejects(semaphore.release(), isMismatch);
    await assert.rejects(semaphore.availablePermits(), isMismatch);
    await lease.release();
  },

  'take and give once for an operation that is repeated': async (context) => {
    const { backend, counters, counter, free } = await bare(context, 5);
    const taking = context.operation(backend);
    assert.equal((await counters.take(context.resource, [1, 2, 4], taking)).served, 2);
    assert.equal(await free(), 2);
    assert.equal((await counters.take(context.resource, [1, 2, 4], { ...taking, attempt: 2 })).served, 2);
    assert.equal(await free(), 2);
    const giving = context.operation(backend);
    assert.equal(await counters.add(counter, 3, giving), 5);
    assert.equal(await counters.add(counter, 3, { ...giving, attempt: 2 }), 5);
    const draining = context.operation(backend);
    assert.equal(await counters.clear(counter, draining), 5);
    await counters.add(counter, 2, context.operation(backend));
    assert.equal(await counters.clear(counter, { ...draining, attempt: 2 }), 5);
    assert.equal(await free(), 2);
  },

  'undo what an operation took, once, also before it comes': async (context) => {
    const { backend, counters, free } = await bare(context, 5);
    const taking = context.operation(backend);
    await counters.take(context.resource, [1, 2, 9], taking);
    for (const attempt of [2, 3]) {
      await counters.undo(context.resource, [1, 2, 9], { ...taking, attempt });
      assert.equal(await free(), 5);
    }
    const delayed = context.operation(backend);
    await counters.undo(context.resource, [1], { ...delayed, attempt: 2 });
    assert.equal((await counters.take(context.resource, [1], delayed)).served, 0);
    assert.equal(await free(), 5);
  },

  'refuse a change that arrives after its time': async (context) => {
    const { backend, counters, counter, free } = await bare(context, 5);
    const late = () => context.operation(backend, { notAfter: context.now() - 100 });
    const isRefused = { code: 'BACKEND_UNAVAILABLE', executed: 'no' };
    await assert.rejects(counters.take(context.resource, [1], late()), isRefused);
    await assert.rejects(counters.add(counter, 1, late()), isRefused);
    assert.equal(await free(), 5);
  },
};
