import type { Clock, Timer } from '../../../core/clock.js';
import { codeOf, noAnswer, refusal } from './failures.js';
import type { ReplyHandler } from './link.js';

/** One request, from its sending to its answer; late answers are dropped. */
class PendingCall implements ReplyHandler {
  isSettled = false;
  next: PendingCall | undefined;

  constructor(
    private readonly calls: PendingCalls,
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
 * The calls in flight on one connection, in the order of their replies. Each ends within
 * `timeoutMs`, whatever the client does.
 */
export class PendingCalls {
  #first: PendingCall | undefined;
  #last: PendingCall | undefined;
  #watchdog: Timer | undefined;
  /** When the watchdog fires. It may watch for silence, which may last longer than a call. */
  #firesAt = 0;
  /** When the oldest request since the last reply was sent; undefined if there is none. */
  #silentSince: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    /** At least `timeoutMs`. */
    private readonly silenceMs: number,
    /** A request was sent `silenceMs` ago, and no reply has arrived since. */
    private readonly onSilence: () => void,
  ) {}

  /** @param sentAt not earlier than the call that began last */
  begin(replyHandler: ReplyHandler, sentAt = this.clock.now()): ReplyHandler {
    const call = new PendingCall(this, replyHandler, sentAt);
    if (this.#last === undefined) this.#first = call;
    else this.#last.next = call;
    this.#last = call;
    this.#silentSince ??= call.sentAt;
    if (this.#watchdog === undefined || this.#firesAt > call.sentAt + this.timeoutMs) {
      this.stopTimer();
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

  /** Fails all calls, since the connection is lost. */
  failAll(error: Error): void {
    this.noteReply();
    for (let call = this.#first; call !== undefined; call = this.#first) call.fail(error);
  }

  stopTimer(): void {
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
    if (this.#silentSince !== undefined && this.#silentSince <= now - this.silenceMs) {
      this.#silentSince = undefined;
      this.onSilence();
    }
    // A call that began after the timer fired has set a timer of its own. That one is too late for
    // earlier calls.
    this.stopTimer();
    const left = this.#msToDeadline;
    if (left !== undefined) this.#startTimer(left);
  }

  /**
   * Time until a call is too old or the silence too long, in ms; undefined if neither can happen.
   */
  get #msToDeadline(): number | undefined {
    const call = this.#first && this.#first.sentAt + this.timeoutMs;
    const silence = this.#silentSince === undefined ? undefined : this.#silentSince + this.silenceMs;
    if (call === undefined && silence === undefined) return undefined;
    return Math.min(call ?? Infinity, silence ?? Infinity) - this.clock.now();
  }
}
