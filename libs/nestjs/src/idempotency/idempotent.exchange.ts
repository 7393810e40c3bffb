import { isLockError, systemClock } from 'bedrock-lock';
import type { ServerResponse } from 'node:http';
import { isInBody, type BodyWatcher } from './handler.body.js';
import { isRetryable, type HttpAnswer } from '../responses/http.answer.js';

/** What becomes of the record: the answer is stored, or that it cannot be given again, or nothing. */
type Verdict = 'answer' | 'unknown' | 'nothing';

/** Ends a run that stores nothing: the key is free again. */
class NothingToStore extends Error {
  constructor() {
    super('no answer to store');
  }
}

/** What an exchange needs to know of its request. */
export interface ExchangeOptions {
  /** Of Node. */
  readonly raw: ServerResponse;
  /** The status that is set now. */
  readonly status: () => number;
  /** Whether the answer to an error of the body may be stored. */
  readonly storeIf: (error: unknown, status: number) => boolean;
  /** How long an answer may take to leave after the client has gone, in ms. */
  readonly graceMs: number;
  /** The answer in place of one that could not be stored. */
  readonly refuse: (error: unknown) => Promise<HttpAnswer>;
}

/**
 * One request with a key, from the beginning of its run to the answer that goes out. That answer decides what is stored, not
 * the value of the body: interceptors, serializers and filters have changed it by then.
 *
 * - Nothing is stored when the body did not begin, or what goes out says that a retry may succeed.
 * - Once the body has returned, it must not run again. An answer that is not its own (an error of a serializer, a time limit, a
 *   stream) is stored as one that cannot be given again.
 */
export class IdempotentExchange implements BodyWatcher {
  readonly #options: ExchangeOptions;
  #run: Promise<unknown> = Promise.resolve();
  #body: 'none' | 'running' | 'returned' | 'threw' = 'none';
  /** Of the body or of its lock, whatever interceptors and filters make of it. */
  #error: unknown;
  /** The status that the body left. */
  #statusOfBody = 0;
  #hasLeft = false;
  /** What becomes of the record when a body returns whose answer has left before. */
  #verdictOnReturn: Verdict = 'unknown';
  #resolve!: (answer: HttpAnswer | undefined) => void;
  #reject!: (reason: NothingToStore) => void;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /**
   * The run has its key. Resolves with what is to be stored, undefined for an answer that cannot be given again; rejects when
   * nothing is to be stored.
   */
  begin(): Promise<HttpAnswer | undefined> {
    const { raw } = this.#options;
    if (raw.destroyed) this.#expectNoAnswer();
    else raw.once('close', () => this.#expectNoAnswer());
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** @param run settles when the record has its end */
  follow(run: Promise<unknown>): void {
    this.#run = run;
  }

  began(): void {
    this.#body = 'running';
  }

  returned(): void {
    this.#body = 'returned';
    this.#statusOfBody = this.#options.status();
    if (this.#hasLeft) this.#settle(this.#verdictOnReturn);
  }

  threw(error: unknown): void {
    this.#body = 'threw';
    this.#error = error;
    if (this.#hasLeft) this.#settle('nothing');
  }

  /** The request ends without its handler. */
  cancel(): void {
    this.#hasLeft = true;
    this.#settle('nothing');
  }

  /** As `BeforeSending`. */
  async leave(answer: HttpAnswer | undefined, status: number): Promise<HttpAnswer | undefined> {
    if (this.#hasLeft) return undefined;
    this.#hasLeft = true;
    if (this.#body === 'running') {
      const isOwn = isInBody(this);
      const mayRetry = isRetryable(status);
      if (!isOwn || mayRetry) {
        if (isOwn) this.#verdictOnReturn = 'nothing';
        return undefined;
      }
    }
    this.#settle(this.#verdictOn(answer, status), answer);
    try {
      await this.#run;
      return undefined;
    } catch (error) {
      return error instanceof NothingToStore ? undefined : this.#options.refuse(error);
    }
  }

  #verdictOn(answer: HttpAnswer | undefined, status: number): Verdict {
    if (this.#body === 'none') return 'nothing';
    const threw = this.#body === 'threw';
    if (isRetryable(status)) return threw || this.#statusOfBody === status ? 'nothing' : 'unknown';
    if (answer === undefined) return threw ? 'nothing' : 'unknown';
    return threw && !this.#storesError(status) ? 'nothing' : 'answer';
  }

  /** Those of a lock tell that the work did not begin, or how it ended: nothing to repeat. */
  #storesError(status: number): boolean {
    if (isLockError(this.#error)) return false;
    try {
      return this.#options.storeIf(this.#error, status) === true;
    } catch {
      return false;
    }
  }

  #settle(verdict: Verdict, answer?: HttpAnswer): void {
    if (verdict === 'nothing') this.#reject(new NothingToStore());
    else this.#resolve(verdict === 'answer' ? answer : undefined);
  }

  /** The connection has ended: its answer comes soon after the body, or never. */
  #expectNoAnswer(): void {
    if (this.#hasLeft) return;
    systemClock.setTimer(() => {
      if (this.#hasLeft) return;
      if (this.#body === 'running') {
        this.#expectNoAnswer();
        return;
      }
      this.#hasLeft = true;
      this.#settle(this.#body === 'returned' ? 'unknown' : 'nothing');
    }, this.#options.graceMs);
  }
}
