import type { Clock } from '../../../../core/clock.js';
import type { OperationId } from '../../../../core/ports/counting.js';
import { EarliestTimer } from '../../../../runtime/earliest-timer.js';

/**
 * How long an answer that has arrived stays on the server, in ms. Answers of that time are dropped
 * together.
 */
const GATHER_MS = 2_000;

/**
 * Which answers on the server are of no use any more, and when: so that nothing is left of a number that is over. Redis has a
 * clean-up of its own: an answer there ends by itself, so one without a reply needs no deletion, and all others share a call.
 */
export class AnswerCleanup {
  /** By resource: operation → when its answer may be dropped, monotonic ms. */
  readonly #due = new Map<string, Map<string, number>>();
  readonly #timer: EarliestTimer;

  constructor(
    private readonly clock: Clock,
    private readonly drop: (resource: string, ids: readonly string[]) => Promise<void>,
  ) {
    this.#timer = new EarliestTimer(clock, () => void this.#dropUntil(clock.now()));
  }

  /** The caller has its answer. */
  confirmed(resource: string, { id }: OperationId): void {
    this.#schedule(resource, id, GATHER_MS);
  }

  /** The caller may ask again, for as long as the answer is kept. */
  unconfirmed(resource: string, { id, keepMs }: OperationId): void {
    this.#schedule(resource, id, keepMs);
  }

  /** Drops all answers that the server keeps for this process: no caller will ask again. */
  async close(): Promise<void> {
    await this.#dropUntil(Infinity);
    this.#timer.stop();
  }

  #schedule(resource: string, id: string, ms: number): void {
    const due = this.#due.get(resource) ?? new Map<string, number>();
    const at = this.clock.now() + ms;
    this.#due.set(resource, due.set(id, at));
    this.#timer.arm(at);
  }

  async #dropUntil(now: number): Promise<void> {
    const dropping: Promise<void>[] = [];
    let next = Infinity;
    for (const [resource, due] of this.#due) {
      const ids = [...due].filter(([, at]) => at <= now).map(([id]) => id);
      for (const id of ids) due.delete(id);
      if (due.size === 0) this.#due.delete(resource);
      for (const at of due.values()) next = Math.min(next, at);
      if (ids.length > 0) dropping.push(this.drop(resource, ids));
    }
    this.#timer.arm(next);
    await Promise.all(dropping);
  }
}
