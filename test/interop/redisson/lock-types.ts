import type { Bedrock, Lock } from 'bedrock-lock';
import type { ContenderJob } from 'bedrock-testkit';
import type { JavaThread } from './java-thread.js';

/** A type of lock that has one holder at a time, on both sides. */
export interface LockType {
  readonly title: string;
  /** In Java. */
  readonly kind: NonNullable<Parameters<JavaThread['lock']>[1]>;
  readonly of: (bedrock: Bedrock, name: string) => Lock;
  /** As a contender of the testkit calls it. */
  readonly job: Pick<ContenderJob, 'kind' | 'readWrite'>;
}

export const TYPES: readonly LockType[] = [
  { title: 'RLock and a mutex', kind: 'lock', of: (bedrock, name) => bedrock.mutex(name), job: {} },
  {
    ...{ title: 'RFairLock and a fair mutex', kind: 'fair' },
    ...{ of: (bedrock, name) => bedrock.fairMutex(name), job: { kind: 'fairMutex' } },
  },
  {
    ...{ title: 'the write locks of both', kind: 'write' },
    ...{ of: (bedrock, name) => bedrock.readWriteLock(name).write, job: { readWrite: { writes: 1 } } },
  },
];
