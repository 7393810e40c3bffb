import type { BedrockLockModuleOptions } from 'nestjs-bedrock';

type Locks = BedrockLockModuleOptions['locks'] & {};
const good: Locks = [
  'a',
  { name: 'a', leaseMs: 5 },
  { name: 'a', kind: 'mutex', holdAtLeastMs: 5 },
  { name: 'a', kind: 'semaphore', permits: 5 },
  { name: 'a', kind: 'expirableSemaphore', leaseMs: Infinity },
  { name: 'a', kind: 'leaderElection', restMs: 5 },
];
// @ts-expect-error a semaphore has a number of permits
const permits: Locks = [{ name: 'a', kind: 'semaphore' }];
// @ts-expect-error it is a mutex where no kind is said
const mutex: Locks = [{ name: 'a', permits: 5 }];
// @ts-expect-error a latch has no lease
const latch: Locks = [{ name: 'a', kind: 'countdownLatch', leaseMs: 5 }];
// @ts-expect-error shared permits have no order
const fencing: Locks = [{ name: 'a', kind: 'semaphore', permits: 5, fencing: true }];
// @ts-expect-error there is no such kind
const unknown: Locks = [{ name: 'a', kind: 'rwLock' }];
export const registrations = [good, permits, mutex, latch, fencing, unknown];
