import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TrialLock, Hook, TrialLockOptions, Turn } from './trial.lock.js';
import { NotAdmittedError } from './not-admitted.error.js';

const POLL_MS = 10;

/** Common part of the five stages: retry until granted, work, release. */
export abstract class HandMadeLock implements TrialLock {
  protected readonly client: Redis;
  protected readonly key: string;
  protected readonly leaseMs: number;
  protected readonly at: Hook;

  constructor({ url, key, leaseMs, at }: TrialLockOptions) {
    this.client = new Redis(url, { maxRetriesPerRequest: 1 });
    // The failing command reports the error; without a listener, ioredis would print it as well.
    this.client.on('error', () => undefined);
    this.key = key;
    this.leaseMs = leaseMs;
    this.at = at;
  }

  async run<T>(body: (turn: Turn) => Promise<T>, waitMs: number): Promise<T> {
    const owner = randomUUID();
    const deadline = performance.now() + waitMs;
    while (!(await this.acquire(owner))) {
      if (performance.now() >= deadline) throw new NotAdmittedError(waitMs);
      await sleep(POLL_MS);
    }
    try {
      return await body({ token: undefined });
    } finally {
      await this.release(owner);
    }
  }

  async close(): Promise<void> {
    this.client.disconnect();
  }

  protected abstract acquire(owner: string): Promise<boolean>;
  protected abstract release(owner: string): Promise<void>;
}
