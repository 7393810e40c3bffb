import type { Clock, Timer } from '../../../core/clock.js';
import type { OperationId } from '../../../core/ports/counting.js';
import { groupBy } from '../protocol/group-by.js';
import type { RedisConnection } from '../connection/redis-connection.js';

/** How long stored answers are gathered before they are deleted together, in ms. */
const GATHER_MS = 1_000;
const KEYS_PER_CALL = 128;

interface AnsweredOperation {
  readonly key: string;
  readonly resource: string;
  /**
   * Earliest deletion, monotonic ms: an earlier send of the operation must still find its answer.
   */
  readonly deletableAt: number;
}

/**
 * Deletes the stored answers of operations that were answered: no caller will ask for them again. What fails here is not
 * repeated, since every stored answer ends by itself. ZooKeeper has a clean-up of its own: an answer there is part
 * of its number and ends only when that is written, so each has a time of its own; here one call deletes those of a second.
 */
export class StoredAnswerCleanup {
  #answered: AnsweredOperation[] = [];
  #timer: Timer | undefined;

  constructor(
    private readonly connection: RedisConnection,
    private readonly clock: Clock,
  ) {}

  schedule(resource: string, key: string, { attempt, notAfter }: OperationId): void {
    this.#answered.push({ resource, key, deletableAt: attempt > 1 ? notAfter : 0 });
    this.#startTimer();
  }

  /** Deletes the answers that are due; the others expire. */
  async close(): Promise<void> {
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    await this.#flush();
  }

  #startTimer(): void {
    this.#timer ??= this.clock.setTimer(() => {
      this.#timer = undefined;
      void this.#flush();
      if (this.#answered.length > 0) this.#startTimer();
    }, GATHER_MS);
  }

  async #flush(): Promise<void> {
    const now = this.clock.now();
    const due = this.#answered.filter(({ deletableAt: from }) => from <= now);
    this.#answered = this.#answered.filter(({ deletableAt: from }) => from > now);
    // One call must not touch several slots of a cluster.
    const groups = this.connection.link.isSharded ? groupBy(due, ({ resource }) => resource).values() : [due];
    const calls: Promise<unknown>[] = [];
    for (const group of groups) {
      for (let at = 0; at < group.length; at += KEYS_PER_CALL) {
        const keys = group.slice(at, at + KEYS_PER_CALL).map(({ key }) => key);
        calls.push(this.connection.calls.call('del', keys));
      }
    }
    await Promise.allSettled(calls);
  }
}
