import { atMost, type Timer } from '../../core/clock.js';
import { IdempotencyLostError } from '../../core/idempotency-errors.js';
import type { RecordRef } from '../../core/ports/records.js';
import { UntilConfirmed } from '../../runtime/until-confirmed.js';
import { driftMargin } from '../holding/hold.js';
import type { RecordEngine } from './record-engine.js';

/** Part of the lease after which it is renewed: two renewals may fail. */
const RENEW_AT = 1 / 3;
/** Part of the lease after which a renewal without an answer is repeated: the answer may still come. */
const ANSWER_WITHIN = 1 / 6;
/** Renewals without an answer at a time: a slow backend must not be asked ever more. */
const MOST_UNANSWERED = 2;
/** Pauses while the backend does not answer, in ms: the first one, and the longest. */
const RETRY_MS = { first: 50, longest: 1_000 };
/** A caller with a result waits for it to be stored at most this many time-outs of the backend. */
const STORE_TIMEOUTS = 2;

/**
 * One run under an idempotency key: it keeps its record while the body runs, and leaves the result.
 * The keeper does not fit: it renews the holds of locks, in batches, by another driver.
 */
export class RecordRun {
  readonly startedAt: number;
  #validUntil: number;
  #timer: Timer | undefined;
  readonly #unanswered = new Set<Promise<void>>();
  #isOver = false;
  #aborting: AbortController | undefined;
  #lost: IdempotencyLostError | undefined;

  constructor(
    private readonly engine: RecordEngine,
    readonly ref: RecordRef,
    private readonly leaseMs: number,
    /** When the backend was asked, monotonic ms. */
    sentAt: number,
  ) {
    this.startedAt = engine.clock.now();
    this.#validUntil = sentAt + leaseMs - driftMargin(leaseMs);
    engine.onRunStarted(this);
    this.#schedule(leaseMs * RENEW_AT);
  }

  /** Aborts when the record is lost. Created on first use. */
  get signal(): AbortSignal {
    this.#aborting ??= new AbortController();
    if (this.#lost !== undefined) this.#aborting.abort(this.#lost);
    return this.#aborting.signal;
  }

  get tookMs(): number {
    return this.engine.clock.now() - this.startedAt;
  }

  /** Leaves the result. `unconfirmed`: no answer so far; it is tried on until the lease ends. */
  async complete(text: string, keepMs: number): Promise<'stored' | 'lost' | 'unconfirmed'> {
    const { clock, backend } = this.engine;
    const storing = this.#store(text, keepMs).finally(() => this.#end());
    return (await atMost(clock, STORE_TIMEOUTS * backend.operationTimeoutMs, storing)) ?? 'unconfirmed';
  }

  /** Removes the record, so that the next request under the key runs again. Without an answer its lease does that. */
  async abandon(): Promise<void> {
    this.#end();
    await this.engine.records.abandon(this.ref).catch(() => undefined);
  }

  /** Lets the lease end. */
  stop(): void {
    this.#isOver = true;
    if (this.#timer !== undefined) this.engine.clock.clearTimer(this.#timer);
  }

  async #store(text: string, keepMs: number): Promise<'stored' | 'lost' | 'unconfirmed'> {
    const { clock, records } = this.engine;
    // No close stops this: a pause that has begun ends with one more try to store the result.
    const isStored = await new UntilConfirmed(clock, RETRY_MS).repeat({
      send: () => records.complete(this.ref, text, keepMs),
      mayRepeat: () => !this.#isOver && clock.now() < this.#validUntil,
    });
    return isStored === undefined ? 'unconfirmed' : isStored ? 'stored' : 'lost';
  }

  #schedule(ms: number): void {
    this.#timer = this.engine.clock.setTimer(() => void this.#renew(), ms);
  }

  async #renew(): Promise<void> {
    if (this.#lost !== undefined) return;
    const { clock } = this.engine;
    const { leaseMs } = this;
    const retryMs = Math.min(RETRY_MS.first, leaseMs / 10);
    const mayAsk = this.#unanswered.size < MOST_UNANSWERED;
    if (mayAsk) this.#ask();
    const leftMs = this.#validUntil - clock.now();
    // The end of the lease is noticed in time; but a renewal that is sent about then gets the time for its answer.
    const boundMs = mayAsk && leftMs <= retryMs ? Infinity : leftMs;
    await atMost(clock, Math.min(leaseMs * ANSWER_WITHIN, boundMs), Promise.race(this.#unanswered));
    if (clock.now() >= this.#validUntil) {
      // Timers run before sockets are read: the answer may be there already.
      await new Promise<void>((resolve) => clock.afterPoll(resolve));
      if (clock.now() >= this.#validUntil) this.#lose();
    }
    if (this.#isOver || this.#lost !== undefined) return;
    const dueAt = this.#validUntil - leaseMs * (1 - RENEW_AT);
    this.#schedule(Math.max(retryMs, dueAt - clock.now()));
  }

  #ask(): void {
    const sentAt = this.engine.clock.now();
    const asking: Promise<void> = this.#tryRenewal().then((isOurs) => {
      this.#unanswered.delete(asking);
      if (isOurs !== undefined) this.#onRenewal(isOurs, sentAt);
    });
    this.#unanswered.add(asking);
  }

  /** Undefined without an answer: silence lengthens nothing. */
  async #tryRenewal(): Promise<boolean | undefined> {
    try {
      return await this.engine.records.renew(this.ref, this.leaseMs);
    } catch {
      return undefined;
    }
  }

  /** An answer counts from when it was asked for, however late it comes. */
  #onRenewal(isOurs: boolean, sentAt: number): void {
    if (this.#isOver) return;
    const { leaseMs } = this;
    if (isOurs) this.#validUntil = Math.max(this.#validUntil, sentAt + leaseMs - driftMargin(leaseMs));
    else this.#lose();
  }

  #lose(): void {
    if (this.#isOver) return;
    this.#lost ??= new IdempotencyLostError(this.ref.resource);
    this.#aborting?.abort(this.#lost);
  }

  #end(): void {
    this.stop();
    this.engine.onRunEnded(this);
  }
}
