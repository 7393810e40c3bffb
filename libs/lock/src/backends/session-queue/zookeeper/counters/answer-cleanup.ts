import type { Clock, Timer } from '../../../../core/clock.js';
import type { OperationId } from '../../../../core/ports/counting.js';

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
  #timer: Timer | undefined;
  #firesAt = Infinity;

  constructor(
    private readonly clock: Clock,
    private readonly drop: (resource: string, ids: readonly string[]) => Promise<void>,
  ) {}

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
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
  }

  #schedule(resource: string, id: string, ms: number): void {
    const due = this.#due.get(resource) ?? new Map<string, number>();
    const at = this.clock.now() + ms;
    this.#due.set(resource, due.set(id, at));
    this.#arm(at);
  }

  #arm(at: number): void {
    if (at >= this.#firesAt) return;
    if (this.#timer !== undefined) this.clock.clearTimer(this.#timer);
    this.#firesAt = at;
    this.#timer = this.clock.setTimer(() => {
      this.#timer = undefined;
      this.#firesAt = Infinity;
      void this.#dropUntil(this.clock.now());
    }, at - this.clock.now());
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
    if (next < Infinity) this.#arm(next);
    await Promise.all(dropping);
  }
}
