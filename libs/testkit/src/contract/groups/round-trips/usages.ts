import {
  multiLock,
  type FairMutex,
  type MultiLock,
  type Mutex,
  type ReadLock,
  type Semaphore,
  type WriteLock,
} from 'bedrock-lock';
import type { CountedPrimitive } from '../../context/request-meter.js';
import { idempotentUsage } from './idempotent-usage.js';
import type { Nestable, Taken, Usage, Use } from './usage.js';

const NOTHING: Taken = { release: async () => undefined };

type AnyLock = FairMutex | Mutex | MultiLock | ReadLock | WriteLock;

/** Callers of a lock wait while the other lock is held. */
function lockUsage(lockOf: (use: Use) => AnyLock, otherOf = lockOf): Usage {
  return {
    hold: (use) => otherOf(use).acquire(),
    take: (use) => lockOf(use).acquire(optionsOf(use)),
    nest: (use) => nestable(lockOf(use)),
    keep: (use) => lockOf(use).acquire(),
  };
}

function nestable(lock: AnyLock): Nestable {
  const locks = 'locks' in lock ? lock.locks : [lock];
  return {
    run: (body) => lock.run(body),
    depths: () => Promise.all(locks.map(async (one) => (await one.inspect())[0]?.depth ?? 0)),
  };
}

function optionsOf({ signal }: Use): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

const bothOf = ({ peer, name }: Use): MultiLock =>
  multiLock([peer.mutex(`${name}:a`), peer.mutex(`${name}:b`)]);
const writeLockOf = ({ peer, name }: Use): WriteLock => peer.readWriteLock(name).write;
const semaphoreOf = ({ peer, name }: Use): Semaphore => peer.semaphore(name, { permits: 1 });

const semaphore: Usage = {
  hold: (use) => semaphoreOf(use).acquire(),
  take: (use) => semaphoreOf(use).acquire(optionsOf(use)),
  keep: (use) => semaphoreOf(use).acquire(),
};

const countdownLatch: Usage = {
  hold: async ({ peer, name }) => {
    const latch = peer.countdownLatch(name);
    await latch.trySetCount(1);
    return { release: () => latch.countDown() };
  },
  take: async (use) => {
    await use.peer.countdownLatch(use.name).await(optionsOf(use));
    return NOTHING;
  },
  cycle: async (use) => {
    await (await countdownLatch.hold(use)).release();
    await countdownLatch.take(use);
  },
};

const countingSemaphore: Usage = {
  prepare: ({ peer, name }) => peer.countingSemaphore(name).trySetPermits(1),
  hold: (use) => countingSemaphore.take(use),
  take: async (use) => {
    const permits = use.peer.countingSemaphore(use.name);
    await permits.acquire(1, optionsOf(use));
    return { release: () => permits.release() };
  },
};

const expirableSemaphore: Usage = {
  prepare: ({ peer, name }) => peer.expirableSemaphore(name).trySetPermits(1),
  hold: (use) => expirableSemaphore.take(use),
  take: (use) => use.peer.expirableSemaphore(use.name).acquire(optionsOf(use)),
  keep: ({ peer, name }) => peer.expirableSemaphore(name).acquire(),
};

export const USAGES: Readonly<Record<CountedPrimitive, Usage>> = {
  mutex: lockUsage(({ peer, name }) => peer.mutex(name)),
  fairMutex: lockUsage(({ peer, name }) => peer.fairMutex(name)),
  multiLock: lockUsage(bothOf),
  readLock: lockUsage(({ peer, name }) => peer.readWriteLock(name).read, writeLockOf),
  writeLock: lockUsage(writeLockOf),
  semaphore,
  countdownLatch,
  countingSemaphore,
  expirableSemaphore,
  idempotency: idempotentUsage,
};
