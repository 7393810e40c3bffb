import { atMost, type Clock } from '../../../../core/clock.js';
import type { OperationId } from '../../../../core/ports/counting.js';
import { BackendUnavailableError } from '../../../../core/errors.js';
import { mayHaveActed } from '../../../../core/unavailable.js';
import { notExecuted, noAnswer } from '../connection/failures.js';
import type { AnswerCleanup } from './answer-cleanup.js';
import type { CountUpdate } from './count-updates.js';
import type { CountNodes, CountSnapshot } from './count-nodes.js';

interface PendingUpdate {
  /** Monotonic local ms after which it must not be done any more. */
  readonly notAfter: number;
  readonly update: CountUpdate<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Queues the changes of this process. Changes of one number that come while another is in flight
 * share one write, so callers of this process do not conflict. Other processes can: the slower
 * process reads again. `SerialExecutor` does not fit: each change would cost a write.
 */
export class CountUpdater {
  readonly #queues = new Map<string, PendingUpdate[]>();

  constructor(
    private readonly nodes: CountNodes,
    private readonly clock: Clock,
    private readonly operationTimeoutMs: number,
    private readonly cleanup: AnswerCleanup,
  ) {}

  /**
   * May call the update several times: each time another process was faster.
   * @throws BackendUnavailableError within `operationTimeoutMs`, LockTypeMismatchError
   */
  async update<T>(resource: string, operation: OperationId, update: CountUpdate<T>): Promise<T> {
    const { clock, cleanup, operationTimeoutMs } = this;
    const { id, notAfter } = operation;
    let isRemembered = false;
    const checked: CountUpdate<T> = (state, nowMs) => {
      if (state.storedAnswer(id) === undefined) state.assertRoom();
      const answer = update(state, nowMs);
      isRemembered = state.storedAnswer(id) !== undefined;
      return answer;
    };
    const pending = this.#enqueue(resource, notAfter, checked).then((value) => ({ value }));
    try {
      const answer = await atMost(clock, operationTimeoutMs, pending);
      if (answer === undefined) throw noAnswer(`no answer within ${operationTimeoutMs} ms`);
      if (isRemembered) cleanup.confirmed(resource, operation);
      return answer.value;
    } catch (error) {
      if (mayHaveActed(error)) cleanup.unconfirmed(resource, operation);
      throw error;
    }
  }

  /** Drops answers that no caller asks for any more. Never rejects. */
  async dropAnswers(resource: string, ids: readonly string[]): Promise<void> {
    const notAfter = this.clock.now() + this.operationTimeoutMs;
    const forgetting = this.#enqueue(resource, notAfter, (state) =>
      ids.forEach((id) => state.dropAnswer(id)),
    );
    await forgetting.catch(() => undefined);
  }

  #enqueue<T>(resource: string, notAfter: number, update: CountUpdate<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const pending: PendingUpdate = {
        notAfter,
        update,
        resolve: resolve as PendingUpdate['resolve'],
        reject,
      };
      const queue = this.#queues.get(resource);
      if (queue !== undefined) return void queue.push(pending);
      this.#queues.set(resource, [pending]);
      void this.#drain(resource);
    });
  }

  async #drain(resource: string): Promise<void> {
    const queue = this.#queues.get(resource)!;
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        await this.#apply(resource, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#queues.delete(resource);
  }

  async #apply(resource: string, batch: readonly PendingUpdate[]): Promise<void> {
    for (let open = this.#inTime(batch); open.length > 0;) {
      const snapshot = await this.#readSnapshot(resource);
      const { state, nowMs } = snapshot;
      state.dropExpiredAnswers(nowMs);
      const answers: (() => void)[] = [];
      const done: PendingUpdate[] = [];
      for (const pending of this.#inTime(open)) {
        try {
          const answer = pending.update(state, nowMs);
          answers.push(() => pending.resolve(answer));
          done.push(pending);
        } catch (error) {
          // A change that is refused now is not repeated, even if the others are.
          pending.reject(error);
        }
      }
      open = done;
      if (state.changes > 0 && !(await this.nodes.write(snapshot))) continue;
      for (const answer of answers) answer();
      return;
    }
  }

  /** A read changes nothing, with or without an answer. */
  async #readSnapshot(resource: string): Promise<CountSnapshot> {
    try {
      return await this.nodes.snapshot(resource, 'numberAndTime');
    } catch (error) {
      if (error instanceof BackendUnavailableError) throw notExecuted(error.detail, error);
      throw error;
    }
  }

  #inTime(batch: readonly PendingUpdate[]): PendingUpdate[] {
    const now = this.clock.now();
    return batch.filter(({ notAfter, reject }) => {
      if (now <= notAfter) return true;
      reject(notExecuted('the time of the request is over'));
      return false;
    });
  }
}
