import type { DistributedLockOptions } from 'nestjs-bedrock';

// @ts-expect-error a read-write lock has two sides
const side: DistributedLockOptions = { lock: 'a', kind: 'readWriteLock' };
// @ts-expect-error a mutex has none
const none: DistributedLockOptions = { lock: 'a', kind: 'mutex', mode: 'read' };
// @ts-expect-error a fair mutex has no permits
const permits: DistributedLockOptions = { lock: 'a', kind: 'fairMutex', permits: 2 };
// @ts-expect-error a semaphore has no sides
const sides: DistributedLockOptions = { lock: 'a', kind: 'semaphore', mode: 'read' };
// @ts-expect-error a latch has no holder
const latch: DistributedLockOptions = { lock: 'a', kind: 'countdownLatch' };
const open: DistributedLockOptions[] = [
  { lock: 'a', mode: 'write' },
  { lock: 'a', permits: 2 },
];
export const options = [side, none, permits, sides, latch, ...open];
