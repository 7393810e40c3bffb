import { isLockError } from 'bedrock-lock';
import { systemClock } from 'bedrock-lock/integration';
import type { ServerResponse } from 'node:http';
import { isInBody, type BodyObserver } from './handler.body.js';
import { isRetryable, type ResponseSnapshot } from '../responses/response-snapshot.js';

/** What the record gets: the response, a mark that it cannot be replayed, or nothing. */
type StoreDecision = 'response' | 'unknown' | 'nothing';

/** Ends a run that stores nothing: the key is free again. */
class NothingToStoreError extends Error {
  constructor() {
    super('no response to store');
  }
}

/** What an exchange needs of its request. */
export interface ExchangeOptions {
  /** Node's response. */
  readonly raw: ServerResponse;
  /** The status set so far. */
  readonly status: () => number;
  /** Whether the response to an error of the body may be stored. */
  readonly storeIf: (error: unknown, status: number) => boolean;
  /** How long a response may take to leave after the client has disconnected, in ms. */
  readonly graceMs: number;
  /** The response to send when the handler's own could not be stored. */
  readonly substitute: (error: unknown) => Promise<ResponseSnapshot>;
}

/**
 * One request with a key, from its start to the outgoing response. The record depends on that response, not on the
 * body's value: interceptors, serializers and filters change it.
 *
 * - Nothing is stored if the body never began, or if the response says that a retry may succeed.
 * - Once the body has returned, it must not run again. A response that is not the body's own (a serializer's error, a
 *   time limit, a stream) is stored as one that cannot be replayed.
 */
export class IdempotentExchange implements BodyObserver {
  readonly #options: ExchangeOptions;
  #run: Promise<unknown> = Promise.resolve();
  #body: 'none' | 'running' | 'returned' | 'threw' = 'none';
  /** The error of the body or of its lock, before interceptors and filters map it. */
  #error: unknown;
  /** The status that the body left. */
  #statusOfBody = 0;
  #isSent = false;
  /** The decision for a body that returns after its response has left. */
  #decisionOnReturn: StoreDecision = 'unknown';
  #resolve!: (snapshot: ResponseSnapshot | undefined) => void;
  #reject!: (reason: NothingToStoreError) => void;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  /**
   * Called once the run has its key. Resolves with the response to store, or undefined for one that cannot be replayed.
   * Rejects if nothing is to be stored.
   */
  begin(): Promise<ResponseSnapshot | undefined> {
    const { raw } = this.#options;
    if (raw.destroyed) this.#endWithoutResponse();
    else raw.once('close', () => this.#endWithoutResponse());
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** @param run settles when the record is complete */
  track(run: Promise<unknown>): void {
    this.#run = run;
  }

  began(): void {
    this.#body = 'running';
  }

  returned(): void {
    this.#body = 'returned';
    this.#statusOfBody = this.#options.status();
    if (this.#isSent) this.#settle(this.#decisionOnReturn);
  }

  threw(error: unknown): void {
    this.#body = 'threw';
    this.#error = error;
    if (this.#isSent) this.#settle('nothing');
  }

  /** The request ends without its handler. */
  cancel(): void {
    this.#isSent = true;
    this.#settle('nothing');
  }

  /** Implements `BeforeSending`. */
  async beforeSending(
    snapshot: ResponseSnapshot | undefined,
    status: number,
  ): Promise<ResponseSnapshot | undefined> {
    if (this.#isSent) return undefined;
    this.#isSent = true;
    if (this.#body === 'running') {
      const isOwn = isInBody(this);
      const mayRetry = isRetryable(status);
      if (!isOwn || mayRetry) {
        if (isOwn) this.#decisionOnReturn = 'nothing';
        return undefined;
      }
    }
    this.#settle(this.#decide(snapshot, status), snapshot);
    try {
      await this.#run;
      return undefined;
    } catch (error) {
      return error instanceof NothingToStoreError ? undefined : this.#options.substitute(error);
    }
  }

  #decide(snapshot: ResponseSnapshot | undefined, status: number): StoreDecision {
    if (this.#body === 'none') return 'nothing';
    const threw = this.#body === 'threw';
    if (isRetryable(status)) return threw || this.#statusOfBody === status ? 'nothing' : 'unknown';
    if (snapshot === undefined) return threw ? 'nothing' : 'unknown';
    return threw && !this.#storesError(status) ? 'nothing' : 'response';
  }

  /** A lock error says that the work did not begin, or how it ended; it is never replayed. */
  #storesError(status: number): boolean {
    if (isLockError(this.#error)) return false;
    try {
      return this.#options.storeIf(this.#error, status) === true;
    } catch {
      return false;
    }
  }

  #settle(decision: StoreDecision, snapshot?: ResponseSnapshot): void {
    if (decision === 'nothing') this.#reject(new NothingToStoreError());
    else this.#resolve(decision === 'response' ? snapshot : undefined);
  }

  /** The connection has ended. A response follows soon after the body, or never. */
  #endWithoutResponse(): void {
    if (this.#isSent) return;
    systemClock.setTimer(() => {
      if (this.#isSent) return;
      if (this.#body === 'running') {
        this.#endWithoutResponse();
        return;
      }
      this.#isSent = true;
      this.#settle(this.#body === 'returned' ? 'unknown' : 'nothing');
    }, this.#options.graceMs);
  }
}
