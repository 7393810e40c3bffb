import type { Redis } from 'ioredis';
import type { Clock, Timer } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import { codeOf, noAnswer, notSent, refusal } from './failures.js';
import { Readiness } from './readiness.js';

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

interface Call {
  readonly sentAt: number;
  /** Replies heard when it was sent. */
  readonly heard: number;
  readonly reject: (error: BackendUnavailableError) => void;
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
  readonly #pending = new Set<Call>();
  readonly #readiness: Readiness;
  #conversation: Conversation | undefined;
  #isReady = false;
  #hasServed = false;
  #isStarted = false;
  #isClosed = false;
  /** Counts connections, so that late answers of an old one are told apart. */
  #epoch = 0;
  #heard = 0;
  #watchdog: Timer | undefined;

  constructor(
    readonly client: Redis,
    private readonly clock: Clock,
    readonly timeoutMs: number,
  ) {
    this.#readiness = new Readiness(clock);
    client.on('connect', () => this.#awaitGreeting());
    client.on('ready', () => void this.#open(++this.#epoch, REOPEN_MS.first));
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
    if (this.#watchdog !== undefined) this.clock.clearTimer(this.#watchdog);
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

  readonly #send: Send = (command, args) => {
    const { client } = this;
    if (client.status !== 'ready' || !client.stream.writable) return Promise.reject(this.#down());
    this.commands += 1;
    return new Promise((resolve, reject) => {
      const call: Call = { sentAt: this.clock.now(), heard: this.#heard, reject };
      this.#pending.add(call);
      if (this.#watchdog === undefined) this.#watch(this.timeoutMs);
      client.call(command, args).then(
        (reply) => {
          this.#heard += 1;
          if (this.#pending.delete(call)) resolve(reply);
        },
        (error: Error) => {
          const code = codeOf(error);
          if (code !== '') this.#heard += 1;
          if (!this.#pending.delete(call)) return;
          reject(code === '' ? noAnswer('the connection was lost before the answer', error) : refusal(error));
        },
      );
    });
  };

  // Replies come in the order of the requests, so one timer for the oldest call serves all.
  #watch(ms: number): void {
    this.#watchdog = this.clock.setTimer(() => {
      this.#watchdog = undefined;
      const [oldest] = this.#pending;
      if (oldest === undefined) return;
      const left = oldest.sentAt + this.timeoutMs - this.clock.now();
      if (left > 0) this.#watch(left);
      // Timers run before sockets are read: the answer may be there already.
      else this.clock.afterPoll(() => this.#expire());
    }, ms);
  }

  #expire(): void {
    const bound = this.clock.now() - this.timeoutMs;
    let isSilent = false;
    for (const call of this.#pending) {
      if (call.sentAt > bound) break;
      this.#pending.delete(call);
      isSilent ||= call.heard === this.#heard;
      call.reject(noAnswer(`no answer within ${this.timeoutMs} ms`));
    }
    if (isSilent) this.reconnect();
    if (this.#pending.size > 0 && this.#watchdog === undefined) this.#watch(1);
  }

  // The client waits for ever for the answer to its own greeting.
  #awaitGreeting(): void {
    const epoch = this.#epoch;
    this.clock.setTimer(() => {
      this.clock.afterPoll(() => {
        if (epoch === this.#epoch && this.client.status === 'connect') this.reconnect();
      });
    }, this.timeoutMs);
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
    this.#epoch += 1;
    this.#isReady = false;
    const calls = [...this.#pending];
    this.#pending.clear();
    const detail = this.#isClosed ? 'it is closed' : 'the connection was lost before the answer';
    for (const call of calls) call.reject(noAnswer(detail, this.#readiness.lastError));
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
