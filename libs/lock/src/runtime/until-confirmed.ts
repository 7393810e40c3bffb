import { atMost, type Clock } from '../core/clock.js';
import { Backoff, type Pauses } from './backoff.js';
import { InFlightGeneration } from './in-flight.js';
import { WakeableSleep } from './wakeable-sleep.js';

/** A request that the server may execute without an answer. */
export interface RepeatedRequest<T> {
  /** Sends the request, each time under the same id. */
  send(): Promise<T>;
  /**
   * Returns when to send it again after an answer, local ms: an earlier send may still be executed.
   * Undefined when the answer is final. @default always final
   */
  repeatAt?(answer: T, sentAt: number): number | undefined;
  /** Whether to send it again after this failure and pause. @throws errors that a repetition cannot fix */
  mayRepeat(error: unknown, pauseMs: number): boolean;
}

/** Repeats unanswered requests until each is confirmed or given up. Sends nothing after `stop()`. */
export class UntilConfirmed {
  /** Requests that `drain()` waits for. A subclass counts them; without that, it waits for none. */
  protected readonly inFlight = new InFlightGeneration();
  #isStopped = false;
  #isHurried = false;
  readonly #pauses = new Set<WakeableSleep>();

  constructor(
    protected readonly clock: Clock,
    private readonly retryMs: Pauses,
  ) {}

  /** Requests that are not confirmed yet. */
  get pending(): number {
    return this.inFlight.size;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves with the final answer, or undefined when it was given up. @throws errors of `mayRepeat` */
  async repeat<T>(request: RepeatedRequest<T>): Promise<T | undefined> {
    const backoff = new Backoff(this.retryMs);
    while (!this.#isStopped) {
      const sentAt = this.clock.now();
      try {
        const answer = await request.send();
        const again = request.repeatAt?.(answer, sentAt);
        if (again === undefined) return answer;
        await this.#pauseUntil(again);
      } catch (error) {
        const pauseMs = backoff.take();
        if (!request.mayRepeat(error, pauseMs)) break;
        await this.#pause(this.#isHurried ? this.retryMs.first : pauseMs);
      }
    }
    return undefined;
  }

  /** Ends the pauses before repeated attempts: the rest of the time is for attempts. Those until an instant go on. */
  hurry(): void {
    this.#isHurried = true;
    this.#endPauses();
  }

  /** Waits until everything is confirmed, at most `ms`, and then stops. */
  async drain(ms: number): Promise<void> {
    if (!this.inFlight.isOver) await atMost(this.clock, ms, this.inFlight.whenOver());
    this.stop();
  }

  stop(): void {
    this.#isStopped = true;
    this.#endPauses();
  }

  #endPauses(): void {
    for (const pause of this.#pauses) pause.wake();
  }

  async #pauseUntil(at: number): Promise<void> {
    while (!this.#isStopped && this.clock.now() < at) await this.#pause(at - this.clock.now());
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    const pause = new WakeableSleep(this.clock);
    this.#pauses.add(pause);
    // There may be no connection meanwhile, and Node would end in the middle of the caller's `await`.
    await pause.sleep(ms, true);
    this.#pauses.delete(pause);
  }
}
