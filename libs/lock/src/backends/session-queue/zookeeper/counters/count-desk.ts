import { atMost, type Clock } from '../../../../core/clock.js';
import type { OperationId } from '../../../../core/ports/counting.js';
import { BackendUnavailableError } from '../../../../core/errors.js';
import { mayHaveActed } from '../../../../core/unavailable.js';
import { notDone, unanswered } from '../connection/failures.js';
import type { Answered } from './answered.js';
import type { Change } from './count-changes.js';
import type { CountNodes, Look } from './count-nodes.js';

interface Job {
  /** Monotonic local ms after which it must not be done any more. */
  readonly notAfter: number;
  readonly change: Change<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Where the changes of this process queue up: those of one number that come while another is under way are made together, by
 * one write, and nobody of this process stands in another's way. Other processes do: who was slower looks again.
 */
export class CountDesk {
  readonly #queues = new Map<string, Job[]>();

  constructor(
    private readonly nodes: CountNodes,
    private readonly clock: Clock,
    private readonly operationTimeoutMs: number,
    private readonly answered: Answered,
  ) {}

  /** @throws BackendUnavailableError within `operationTimeoutMs` */
  async change<T>(resource: string, operation: OperationId, change: Change<T>): Promise<T> {
    const { clock, answered, operationTimeoutMs } = this;
    const { id, notAfter } = operation;
    let isRemembered = false;
    const checked: Change<T> = (state, nowMs) => {
      if (state.memo(id) === undefined) state.assertRoom();
      const answer = change(state, nowMs);
      isRemembered = state.memo(id) !== undefined;
      return answer;
    };
    const job = this.#enqueue(resource, notAfter, checked).then((value) => ({ value }));
    try {
      const answer = await atMost(clock, operationTimeoutMs, job);
      if (answer === undefined) throw unanswered(`no answer within ${operationTimeoutMs} ms`);
      if (isRemembered) answered.confirmed(resource, operation);
      return answer.value;
    } catch (error) {
      if (mayHaveActed(error)) answered.unconfirmed(resource, operation);
      throw error;
    }
  }

  /** Drops answers that nobody asks for any more. Never rejects. */
  async forget(resource: string, ids: readonly string[]): Promise<void> {
    const notAfter = this.clock.now() + this.operationTimeoutMs;
    const forgetting = this.#enqueue(resource, notAfter, (state) => ids.forEach((id) => state.forget(id)));
    await forgetting.catch(() => undefined);
  }

  #enqueue<T>(resource: string, notAfter: number, change: Change<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job: Job = { notAfter, change, resolve: resolve as Job['resolve'], reject };
      const queue = this.#queues.get(resource);
      if (queue !== undefined) return void queue.push(job);
      this.#queues.set(resource, [job]);
      void this.#serve(resource);
    });
  }

  async #serve(resource: string): Promise<void> {
    const queue = this.#queues.get(resource)!;
    while (queue.length > 0) {
      const jobs = queue.splice(0);
      try {
        await this.#settle(resource, jobs);
      } catch (error) {
        for (const { reject } of jobs) reject(error);
      }
    }
    this.#queues.delete(resource);
  }

  async #settle(resource: string, jobs: readonly Job[]): Promise<void> {
    for (let open = this.#inTime(jobs); open.length > 0;) {
      const look = await this.#look(resource);
      const { state, nowMs } = look;
      state.tidy(nowMs);
      const answers: (() => void)[] = [];
      // Who is refused now is not asked for again, should the others be.
      open = this.#inTime(open).filter(({ change, resolve, reject }) => {
        try {
          const answer = change(state, nowMs);
          return answers.push(() => resolve(answer));
        } catch (error) {
          return reject(error);
        }
      });
      if (state.changes > 0 && !(await this.nodes.write(look))) continue;
      for (const answer of answers) answer();
      return;
    }
  }

  /** A look does nothing, with or without an answer. */
  async #look(resource: string): Promise<Look> {
    try {
      return await this.nodes.look(resource, 'numberAndTime');
    } catch (error) {
      if (error instanceof BackendUnavailableError) throw notDone(error.detail, error);
      throw error;
    }
  }

  #inTime(jobs: readonly Job[]): Job[] {
    const now = this.clock.now();
    return jobs.filter(({ notAfter, reject }) => {
      if (now <= notAfter) return true;
      reject(notDone('the time of the request is over'));
      return false;
    });
  }
}
