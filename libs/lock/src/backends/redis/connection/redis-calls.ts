import type { Clock, Timer } from '../../../core/clock.js';
import type { BackendUnavailableError } from '../../../core/errors.js';
import { codeOf, noAnswer, refusal } from './failures.js';
import type { Arg, ChannelNaming, RedisLink, ReplyHandler } from './link.js';

export type Send = (command: string, args: readonly Arg[]) => Promise<unknown>;
export type Subscribe = (channels: readonly string[], as?: ChannelNaming) => Promise<unknown>;

/** Time limits of a connection. */
export interface RedisTimeoutSettings {
  /** Longest call, in ms. */
  readonly operationTimeoutMs: number;
  /**
   * A connection that stays silent for this long is replaced, in ms; at least `operationTimeoutMs`.
   * @default operationTimeoutMs
   */
  readonly silenceMs?: number;
}

/** The connection that the calls use. */
export interface CallsOwner {
  /** A request was sent `silenceMs` ago, and no reply has arrived since. */
  silent(): void;
  /** Why no request can be sent now. */
  unavailable(): BackendUnavailableError;
}

/** One request, from its sending to its answer; late answers are dropped. */
class PendingCall implements ReplyHandler {
  isSettled = false;
  next: PendingCall | undefined;

  constructor(
    private readonly calls: RedisCalls,
    private readonly replyHandler: ReplyHandler,
    readonly sentAt: number,
  ) {}

  replied(reply: unknown): void {
    this.calls.noteReply();
    if (this.#settle()) this.replyHandler.replied(reply);
  }

  failed(error: Error): void {
    const code = codeOf(error);
    if (code !== '') this.calls.noteReply();
    this.fail(code === '' ? noAnswer('the connection was lost before the answer', error) : refusal(error));
  }

  fail(error: Error): void {
    if (this.#settle()) this.replyHandler.failed(error);
  }

  #settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    this.calls.removeSettled();
    return true;
  }
}

/**
 * The requests of one connection. It queues nothing while the connection is down, and never sends a
 * request twice. Each call ends within `timeoutMs`, whatever the client does; calls in flight are
 * kept in the order of their replies.
 */
export class RedisCalls {
  /** Requests sent so far, without those of the client's own handshake. */
  sent = 0;
  readonly timeoutMs: number;
  /** Requests of a connection that is being set up: it does not serve yet. */
  readonly setUp: { readonly call: Send; readonly subscribe: Subscribe };
  readonly #silenceMs: number;
  #isServing = false;
  #first: PendingCall | undefined;
  #last: PendingCall | undefined;
  #watchdog: Timer | undefined;
  /** When the watchdog fires. It may watch for silence, which may last longer than a call. */
  #firesAt = 0;
  /** When the oldest request since the last reply was sent; undefined if there is none. */
  #silentSince: number | undefined;

  constructor(
    readonly link: RedisLink,
    readonly clock: Clock,
    { operationTimeoutMs, silenceMs = operationTimeoutMs }: RedisTimeoutSettings,
    private readonly owner: CallsOwner,
  ) {
    this.timeoutMs = operationTimeoutMs;
    this.#silenceMs = silenceMs;
    this.setUp = {
      call: (command, args) => this.#track(() => this.link.call(command, args)),
      subscribe: (channels, as) => this.#track(() => this.link.subscribe(channels, as)),
    };
  }

  get isServing(): boolean {
    return this.#isServing;
  }

  /** The connection is set up: requests are sent from now on. */
  serve(): void {
    this.#isServing = true;
  }

  /** The connection is lost, and all calls fail with this error. */
  lose(error: Error): void {
    this.#isServing = false;
    this.noteReply();
    for (let call = this.#first; call !== undefined; call = this.#first) call.fail(error);
    this.#stopTimer();
  }

  /** Sends a request now. @throws LockError; its `executed` says whether the server may have acted */
  readonly call: Send = (command, args) =>
    this.#isServing ? this.setUp.call(command, args) : Promise.reject(this.owner.unavailable());

  /** Subscribes now. Messages that arrive meanwhile go to the handler of the connection. */
  readonly subscribe: Subscribe = (channels, as) =>
    this.#isServing ? this.setUp.subscribe(channels, as) : Promise.reject(this.owner.unavailable());

  readonly unsubscribe: Subscribe = (channels, as) =>
    this.#isServing
      ? this.#track(() => this.link.unsubscribe(channels, as))
      : Promise.reject(this.owner.unavailable());

  /**
   * Like `call()`, for a request that is encoded already. Fails the reply handler at once if the
   * connection is down.
   * @param sentAt when its time starts, local ms; not earlier than that of the call before @default now
   */
  run(command: string, text: string, replyHandler: ReplyHandler, sentAt?: number): void {
    if (!this.#isServing || !this.link.isWritable) return replyHandler.failed(this.owner.unavailable());
    this.sent += 1;
    this.link.run(command, text, this.#begin(replyHandler, sentAt));
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
    const timer = this.clock.setTimer(
      () => this.clock.afterPoll(late),
      sentAt + this.timeoutMs - this.clock.now(),
    );
    this.run(command, text, {
      replied: (reply) => end(() => replyHandler.replied(reply)),
      failed: (error) => end(() => replyHandler.failed(error)),
    });
  }

  #track(send: () => Promise<unknown>): Promise<unknown> {
    if (!this.link.isWritable) return Promise.reject(this.owner.unavailable());
    this.sent += 1;
    return new Promise((resolve, reject) => {
      const call = this.#begin({ replied: resolve, failed: reject });
      send().then(
        (reply) => call.replied(reply),
        (error: Error) => call.failed(error),
      );
    });
  }

  #begin(replyHandler: ReplyHandler, sentAt = this.clock.now()): ReplyHandler {
    const call = new PendingCall(this, replyHandler, sentAt);
    if (this.#last === undefined) this.#first = call;
    else this.#last.next = call;
    this.#last = call;
    this.#silentSince ??= call.sentAt;
    if (this.#watchdog === undefined || this.#firesAt > call.sentAt + this.timeoutMs) {
      this.#stopTimer();
      this.#startTimer(this.timeoutMs);
    }
    return call;
  }

  noteReply(): void {
    this.#silentSince = undefined;
  }

  /** Drops settled calls at the front. */
  removeSettled(): void {
    while (this.#first?.isSettled === true) {
      const { next } = this.#first;
      // An old call in the heap would keep all later ones from being collected young.
      this.#first.next = undefined;
      this.#first = next;
    }
    if (this.#first === undefined) this.#last = undefined;
  }

  #stopTimer(): void {
    if (this.#watchdog !== undefined) this.clock.clearTimer(this.#watchdog);
    this.#watchdog = undefined;
  }

  // Replies come in the order of the requests, so one timer for the oldest call serves all.
  #startTimer(ms: number): void {
    this.#firesAt = this.clock.now() + ms;
    this.#watchdog = this.clock.setTimer(() => {
      this.#watchdog = undefined;
      const left = this.#msToDeadline;
      if (left === undefined) return;
      if (left > 0) this.#startTimer(left);
      // Timers run before sockets are read: the answer may be there already.
      else this.clock.afterPoll(() => this.#expire());
    }, ms);
  }

  #expire(): void {
    const now = this.clock.now();
    for (
      let call = this.#first;
      call !== undefined && call.sentAt <= now - this.timeoutMs;
      call = this.#first
    )
      call.fail(noAnswer(`no answer within ${this.timeoutMs} ms`));
    if (this.#silentSince !== undefined && this.#silentSince <= now - this.#silenceMs) {
      this.#silentSince = undefined;
      this.owner.silent();
    }
    // A call that began after the timer fired has set a timer of its own. That one is too late for
    // earlier calls.
    this.#stopTimer();
    const left = this.#msToDeadline;
    if (left !== undefined) this.#startTimer(left);
  }

  /**
   * Time until a call is too old or the silence too long, in ms; undefined if neither can happen.
   */
  get #msToDeadline(): number | undefined {
    const call = this.#first && this.#first.sentAt + this.timeoutMs;
    const silence = this.#silentSince === undefined ? undefined : this.#silentSince + this.#silenceMs;
    if (call === undefined && silence === undefined) return undefined;
    return Math.min(call ?? Infinity, silence ?? Infinity) - this.clock.now();
  }
}
