import type { Clock } from '../../../core/clock.js';
import { BackendUnavailableError } from '../../../core/errors.js';
import { Backoff } from '../../../runtime/backoff.js';
import { Readiness } from '../../kit/readiness.js';
import { codeOf, noAnswer, notSent, notServing } from './failures.js';
import type { RedisLink } from './link.js';
import { RedisCalls, type RedisTimeoutSettings, type Send, type Subscribe } from './redis-calls.js';

/** Sets a new connection up before it serves, and listens to its life. */
export interface ConnectionHandler {
  /** Rejects if the server cannot serve yet; it is retried on the same connection. */
  open(send: Send, subscribe: Subscribe): Promise<void>;
  /** The connection serves from now on; `isFirst` is false after a reconnection. */
  opened?(isFirst: boolean): void;
  /** The connection is lost, and with it all state learned on it. */
  lost?(): void;
  /** A message on a subscribed channel. */
  received?(channel: string, message: string): void;
  /** Subscriptions have ended: their channels belong to another server of the cluster now. */
  moved?(): void;
}

/** Refusals that end by themselves. */
const TRANSIENT_REFUSALS: ReadonlySet<string> = new Set([
  'LOADING', 'BUSY', 'READONLY', 'MASTERDOWN', 'OOM', 'CLUSTERDOWN', 'MOVED', 'ASK', 'TRYAGAIN',
]); // prettier-ignore
/** First and longest pause before the set-up of a connection is retried, in ms. */
const REOPEN_MS = { first: 50, longest: 1_000 };
/** Pause before a connection that leads to a replica is replaced, in ms. */
const REPLICA_RECONNECT_MS = 250;

/** The life of one dedicated connection. One that stays silent for `silenceMs` is replaced. */
export class RedisConnection {
  readonly calls: RedisCalls;
  readonly #silenceMs: number;
  readonly #readiness: Readiness;
  readonly #reopenings = new Backoff(REOPEN_MS);
  #handler: ConnectionHandler | undefined;
  #hasServed = false;
  #isStarted = false;
  #isClosed = false;
  /** Counts connections, so that late answers of an old one can be told apart. */
  #epoch = 0;

  constructor(
    readonly link: RedisLink,
    private readonly clock: Clock,
    { operationTimeoutMs, silenceMs = operationTimeoutMs }: RedisTimeoutSettings,
  ) {
    this.#silenceMs = silenceMs;
    this.calls = new RedisCalls(
      link,
      clock,
      { operationTimeoutMs, silenceMs },
      {
        silent: () => this.reconnect(),
        unavailable: () => this.#unavailable(),
      },
    );
    this.#readiness = new Readiness(clock, notServing);
  }

  /** Connects, and reconnects forever until `close()`. */
  start(handler: ConnectionHandler): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    this.#handler = handler;
    this.link.connect({
      connected: () => this.#awaitGreeting(),
      greeted: () => {
        this.#reopenings.reset();
        void this.#open(++this.#epoch);
      },
      lost: () => this.#loseConnection(),
      failed: (error) => this.#readiness.failed(error, codeOf(error) !== '' || isFinal(error)),
      received: (channel, message) => handler.received?.(channel, message),
      moved: () => handler.moved?.(),
    });
  }

  /**
   * Resolves when the connection serves.
   * @throws BackendUnavailableError after `ms`, or at once if the server refuses for good
   */
  async whenReady(ms: number): Promise<void> {
    if (this.#isClosed) throw notSent('it is closed');
    if (!this.calls.isServing) await this.#readiness.wait(ms);
  }

  /**
   * Like `whenReady()`, but waits only for the first connection. Later calls fail at once rather
   * than wait through an outage.
   */
  async whenServing(): Promise<void> {
    if (this.calls.isServing) return;
    if (this.#isClosed || this.#hasServed) throw this.#unavailable();
    await this.whenReady(this.calls.timeoutMs);
  }

  /** Replaces the current connection. */
  reconnect(): void {
    if (!this.#isClosed) this.link.reconnect();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#loseConnection();
    this.#readiness.failed(new Error('it is closed'), true);
    this.link.close();
  }

  #unavailable(): BackendUnavailableError {
    if (this.#isClosed) return notSent('it is closed');
    const { lastError } = this.#readiness;
    return notSent(
      lastError === undefined ? 'not connected' : `not connected (${lastError.message})`,
      lastError,
    );
  }

  // The client waits forever for the answer to its own handshake.
  #awaitGreeting(): void {
    const epoch = this.#epoch;
    this.clock.setTimer(() => {
      this.clock.afterPoll(() => {
        if (epoch === this.#epoch) this.reconnect();
      });
    }, this.#silenceMs);
  }

  async #open(epoch: number): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#handler?.open(this.calls.setUp.call, this.calls.setUp.subscribe);
    } catch (error) {
      if (epoch !== this.#epoch) return;
      this.#readiness.failed(error as Error, isFinal(error));
      // A replica answers READONLY forever: the next connection may lead to the primary.
      const isReplica = codeOf((error as Error).cause) === 'READONLY';
      this.clock.setTimer(
        () => {
          if (epoch !== this.#epoch) return;
          if (isReplica) this.reconnect();
          else void this.#open(epoch);
        },
        isReplica ? REPLICA_RECONNECT_MS : this.#reopenings.take(),
      );
      return;
    }
    if (epoch !== this.#epoch) return;
    const isFirst = !this.#hasServed;
    this.#hasServed = true;
    this.calls.serve();
    this.#readiness.succeeded();
    this.#handler?.opened?.(isFirst);
  }

  #loseConnection(): void {
    this.#epoch += 1;
    const detail = this.#isClosed ? 'it is closed' : 'the connection was lost before the answer';
    this.calls.lose(noAnswer(detail, this.#readiness.lastError));
    this.#handler?.lost?.();
  }
}

/** The server refused to set the connection up, and will refuse again. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof BackendUnavailableError &&
    error.executed === 'no' &&
    !TRANSIENT_REFUSALS.has(codeOf(error.cause))
  );
}
