import { Bedrock, LockWaitTimeoutError, type Mutex } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import type { TrialLock, Hook, TrialLockOptions, Turn } from './trial.lock.js';
import { NotAdmittedError } from './not-admitted.error.js';

/**
 * Bedrock under the same faults. Its own steps need no hooks: the faults strike before its body, and before its
 * release.
 */
export class BedrockTrialLock implements TrialLock {
  readonly #bedrock: Bedrock;
  readonly #lock: Mutex;
  readonly #at: Hook;

  constructor({ url, key, leaseMs, at }: TrialLockOptions) {
    // A deletion that hangs for longer than the lease is still waited for.
    const operationTimeoutMs = Math.max(1_000, 2 * leaseMs);
    this.#bedrock = new Bedrock({ backend: redis({ url, operationTimeoutMs }), closeGraceMs: 0 });
    this.#lock = this.#bedrock.mutex(key, { leaseMs });
    this.#at = at;
  }

  async run<T>(body: (turn: Turn) => Promise<T>, waitMs: number): Promise<T> {
    // A process that has just been started may take longer to connect than it may wait for the lock.
    await this.#bedrock.ready();
    try {
      return await this.#lock.run(
        async ({ token }) => {
          await this.#at('afterFirstCommand');
          const result = await body({ token });
          await this.#at('beforeDelete');
          return result;
        },
        { waitMs },
      );
    } catch (error) {
      if (error instanceof LockWaitTimeoutError) throw new NotAdmittedError(waitMs);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#bedrock.close();
  }
}
