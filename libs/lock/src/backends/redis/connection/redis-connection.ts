import type { Clock } from '../../../core/clock.js';
import { BackendUnavailableError } from '../../../core/errors.js';
import { Backoff } from '../../../runtime/backoff.js';
import { Readiness } from '../../kit/readiness.js';
import { PendingCalls } from './pending-calls.js';
import { codeOf, noAnswer, notSent, notServing } from './failures.js';
import type { Arg, ReplyHandler, ChannelNaming, RedisLink } from './link.js';

export type Send = (command: string, args: readonly Arg[]) => Promise<unknown>;
export type Subscribe = (channels: readonly string[], as?: ChannelNaming) => Promise<unknown>;

/** Time limits of a connection. */
export interface RedisTimeoutSettings {
  /** Longest call, in ms. */
  readonly operationTimeoutMs: number;
  /**
   * A connection that stays silent for this long is replaced, in ms. @default operationTimeoutMs
   */
  readonly silenceMs?: number;
}

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
const REOPEN_MS = { first: 50, last: 1_000 };
/** Pause before a connection that leads to a replica is replaced, in ms. */
const REPLICA_RECONNECT_MS = 250;

/**
 * One dedicated connection. It queues nothing while it is down, and never sends a request twice.
 * Every call settles within `timeoutMs`, whatever the client does. A connection that stays silent
 * for `silenceMs` is replaced.
 */
export class RedisConnection {
  /** Requests sent so far, without those of the client's own handshake. */
  commands = 0;
  readonly timeoutMs: number;
  readonly #silenceMs: number;
  readonly #calls: PendingCalls;
  readonly #readiness: Readiness;
  readonly #reopenings = new Backoff(REOPEN_MS.first, REOPEN_MS.last);
  #handler: ConnectionHandler | undefined;
  #isReady = false;
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
    this.timeoutMs = operationTimeoutMs;
    this.#silenceMs = silenceMs;
    this.#calls = new PendingCalls(clock, operationTimeoutMs, silenceMs, () => this.reconnect());
    this.#readiness = new Readiness(clock, notServing);
  }

  get isReady(): boolean {
    return this.#isReady;
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
    if (!this.#isReady) await this.#readiness.wait(ms);
  }

  /**
   * Like `whenReady()`, but waits only for the first connection. Later calls fail at once rather
   * than wait through an outage.
   */
  async whenServing(): Promise<void> {
    if (this.#isReady) return;
    if (this.#isClosed || this.#hasServed) throw this.#unavailable();
    await this.whenReady(this.timeoutMs);
  }

  /**
   * Sends a request now. @throws LockError; its `executed` says whether the server may have acted
   */
  readonly call: Send = (command, args) =>
    this.#isReady ? this.#send(command, args) : Promise.reject(this.#unavailable());

  /**
   * Like `call()`, for a request that is encoded already. Fails the reply handler at once if the
   * connection is down.
   * @param sentAt when its time starts, local ms @default now
   */
  run(command: string, text: string, replyHandler: ReplyHandler, sentAt?: number): void {
    if (!this.#isReady || !this.link.isWritable) return replyHandler.failed(this.#unavailable());
    this.commands += 1;
    this.link.run(command, text, this.#calls.begin(replyHandler, sentAt));
  }

  /**
   * Like `run()`, for a request that has used up part of its time. It ends when a request sent at
   * `sentAt` would.
   */
  runSince(sentAt: number, command: string, text: string, replyHandler: ReplyHandler): void {
    let isOver = false;
    const end = (tell: () => void): void => {
      if (isOver) return;
      isOver = true;
      this.clock.clearTimer(timer);
      tell();
    };
    const late = (): void =>
      end(() => replyHandler.failed(noAnswer(`no answer within ${this.timeoutMs} ms`)));
    const timer = this.clock.setTimer(() => this.clock.afterPoll(late), sentAt + this.timeoutMs - this.now());
    this.run(command, text, {
      replied: (reply) => end(() => replyHandler.replied(reply)),
      failed: (error) => end(() => replyHandler.failed(error)),
    });
  }

  /** Monotonic local ms. */
  now(): number {
    return this.clock.now();
  }

  /** Subscribes now. Messages that arrive meanwhile go to the handler. */
  readonly subscribe: Subscribe = (channels, as) =>
    this.#isReady ? this.#subscribe(channels, as) : Promise.reject(this.#unavailable());

  readonly unsubscribe: Subscribe = (channels, as) =>
    this.#isReady
      ? this.#track(() => this.link.unsubscribe(channels, as))
      : Promise.reject(this.#unavailable());

  /** Replaces the current connection. */
  reconnect(): void {
    if (!this.#isClosed) this.link.reconnect();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#loseConnection();
    this.#readiness.failed(new Error('it is closed'), true);
    this.#calls.stopTimer();
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

  readonly #send: Send = (command, args) => this.#track(() => this.link.call(command, args));
  readonly #subscribe: Subscribe = (channels, as) => this.#track(() => this.link.subscribe(channels, as));

  #track(send: () => Promise<unknown>): Promise<unknown> {
    if (!this.link.isWritable) return Promise.reject(this.#unavailable());
    this.commands += 1;
    return new Promise((resolve, reject) => {
      const call = this.#calls.begin({ replied: resolve, failed: reject });
      send().then(
        (reply) => call.replied(reply),
        (error: Error) => call.failed(error),
      );
    });
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
      await this.#handler?.open(this.#send, this.#subscribe);
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
    this.#hasServed = this.#isReady = true;
    this.#readiness.succeeded();
    this.#handler?.opened?.(isFirst);
  }

  #loseConnection(): void {
    this.#epoch += 1;
    this.#isReady = false;
    const detail = this.#isClosed ? 'it is closed' : 'the connection was lost before the answer';
    this.#calls.failAll(noAnswer(detail, this.#readiness.lastError));
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
