import type { Command, Redis } from 'ioredis';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import { Calls } from './calls.js';
import { codeOf, noAnswer, notSent } from './failures.js';
import { Readiness } from './readiness.js';
import { EncodedRequest, type Asker } from './request.js';

export type Arg = string | number;
export type Send = (command: string, args: Arg[]) => Promise<unknown>;

/** What is said on every new connection before it serves, and who is told about its life. */
export interface Conversation {
  /** Rejects when the server cannot serve yet; it is tried again on the same connection. */
  open(send: Send): Promise<void>;
  /** The connection serves from now on; `isFirst` is false after a reconnection. */
  opened?(isFirst: boolean): void;
  /** The connection is gone, and with it everything that was learned on it. */
  lost?(): void;
}

/** Refusals that end by themselves. */
const PASSING: ReadonlySet<string> = new Set(['LOADING', 'BUSY', 'READONLY', 'MASTERDOWN', 'OOM']);
/** First and longest pause before an opening conversation is tried again, in ms. */
const REOPEN_MS = { first: 50, last: 1_000 };

/**
 * One connection of Bedrock's own. Nothing is queued while it is down and nothing is ever sent twice; every call settles
 * within `timeoutMs`, whatever the client does. A connection that stays silent for so long is replaced.
 */
export class Connection {
  /** Requests sent so far, without those of the client's own greeting. */
  commands = 0;
  readonly #calls: Calls;
  readonly #readiness: Readiness;
  #conversation: Conversation | undefined;
  #isReady = false;
  /** A connection was made and not lost since. */
  #isConnected = false;
  #hasServed = false;
  #isStarted = false;
  #isClosed = false;
  /** Counts connections, so that late answers of an old one are told apart. */
  #epoch = 0;

  constructor(
    readonly client: Redis,
    private readonly clock: Clock,
    readonly timeoutMs: number,
  ) {
    this.#calls = new Calls(clock, timeoutMs, () => this.reconnect());
    this.#readiness = new Readiness(clock);
    client.on('connect', () => {
      this.#isConnected = true;
      this.#awaitGreeting();
    });
    client.on('ready', () => this.#greeted());
    client.on('close', () => this.#lose());
    client.on('end', () => this.#restart());
    client.on('error', (error: Error) => this.#readiness.failed(error, codeOf(error) !== ''));
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Starts to connect, and does so again for ever until `close()`. */
  start(conversation: Conversation): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    this.#conversation = conversation;
    this.client.connect().catch(() => undefined);
  }

  /**
   * Resolves when the connection serves.
   * @throws BackendUnavailableError after `ms`, and at once when the server answered that it will not
   */
  async whenReady(ms: number): Promise<void> {
    if (this.#isClosed) throw notSent('it is closed');
    if (!this.#isReady) await this.#readiness.wait(ms);
  }

  /** Like `whenReady()`, but only before the first connection: afterwards a call must not outlive an outage. */
  async whenServing(): Promise<void> {
    if (this.#isReady) return;
    if (this.#isClosed || this.#hasServed) throw this.#down();
    await this.whenReady(this.timeoutMs);
  }

  /** Sends a request now. @throws LockError; its `executed` says whether the server may have acted */
  readonly call: Send = (command, args) =>
    this.#isReady ? this.#send(command, args) : Promise.reject(this.#down());

  /** Sends a request that was encoded already, now. The asker is told a LockError when it fails, at once when it is down. */
  run(command: string, text: string, asker: Asker): void {
    if (!this.#isReady || !this.#isWritable) return asker.failed(this.#down());
    this.commands += 1;
    const request = new EncodedRequest(command, text, this.#calls.begin(asker));
    this.client.sendCommand(request as unknown as Command);
  }

  /** Gives up the present connection for a new one. */
  reconnect(): void {
    const { status } = this.client;
    if (this.#isClosed || (status !== 'ready' && status !== 'connect')) return;
    this.client.disconnect(true);
    // Without this a half-open connection would linger, and calls on it with it.
    this.client.stream?.destroy();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lose();
    this.#readiness.failed(new Error('it is closed'), true);
    this.#calls.stop();
    this.client.disconnect();
    this.client.stream?.destroy();
  }

  #down(): BackendUnavailableError {
    if (this.#isClosed) return notSent('it is closed');
    const { lastError } = this.#readiness;
    return notSent(
      lastError === undefined ? 'not connected' : `not connected (${lastError.message})`,
      lastError,
    );
  }

  get #isWritable(): boolean {
    const { status, stream } = this.client;
    return status === 'ready' && stream.writable;
  }

  readonly #send: Send = (command, args) => {
    if (!this.#isWritable) return Promise.reject(this.#down());
    this.commands += 1;
    return new Promise((resolve, reject) => {
      const call = this.#calls.begin({ replied: resolve, failed: reject });
      this.client.call(command, args).then(
        (reply) => call.replied(reply),
        (error: Error) => call.failed(error),
      );
    });
  };

  // The client waits for ever for the answer to its own greeting.
  #awaitGreeting(): void {
    const epoch = this.#epoch;
    this.clock.setTimer(() => {
      this.clock.afterPoll(() => {
        if (epoch === this.#epoch && this.client.status === 'connect') this.reconnect();
      });
    }, this.timeoutMs);
  }

  #greeted(): void {
    if (this.#isConnected) return void this.#open(++this.#epoch, REOPEN_MS.first);
    // Version 5 also says so of a connection that was lost during its greeting, and would never connect again.
    if (!this.#isClosed) this.client.status = 'reconnecting';
  }

  async #open(epoch: number, retryMs: number): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#conversation?.open(this.#send);
    } catch (error) {
      if (epoch !== this.#epoch) return;
      this.#readiness.failed(error as Error, isFinal(error));
      const next = Math.min(retryMs * 2, REOPEN_MS.last);
      this.clock.setTimer(() => epoch === this.#epoch && void this.#open(epoch, next), retryMs);
      return;
    }
    if (epoch !== this.#epoch) return;
    const isFirst = !this.#hasServed;
    this.#hasServed = this.#isReady = true;
    this.#readiness.reached();
    this.#conversation?.opened?.(isFirst);
  }

  #lose(): void {
    this.#isConnected = false;
    this.#epoch += 1;
    this.#isReady = false;
    const detail = this.#isClosed ? 'it is closed' : 'the connection was lost before the answer';
    this.#calls.fail(noAnswer(detail, this.#readiness.lastError));
    this.#conversation?.lost?.();
  }

  // The client reconnects by itself; it ends only when it could not even begin to connect.
  #restart(): void {
    if (this.#isClosed) return;
    this.clock.setTimer(() => {
      if (!this.#isClosed) this.client.connect().catch(() => undefined);
    }, REOPEN_MS.last);
  }
}

/** The server said no to the opening of a connection, and will say so again. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof BackendUnavailableError && error.executed === 'no' && !PASSING.has(codeOf(error.cause))
  );
}
