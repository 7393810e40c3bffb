import type { Clock, Timer } from '../../core/clock.js';
import { codeOf, noAnswer, refusal } from './failures.js';
import type { Asker } from './request.js';

/** One request, from its sending to its answer; late answers are dropped. */
class Call implements Asker {
  isOver = false;
  next: Call | undefined;

  constructor(
    private readonly calls: Calls,
    private readonly asker: Asker,
    readonly sentAt: number,
    /** Replies heard when it was sent. */
    readonly heard: number,
  ) {}

  replied(reply: unknown): void {
    this.calls.heard += 1;
    if (this.#end()) this.asker.replied(reply);
  }

  failed(error: Error): void {
    const code = codeOf(error);
    if (code !== '') this.calls.heard += 1;
    this.fail(code === '' ? noAnswer('the connection was lost before the answer', error) : refusal(error));
  }

  fail(error: Error): void {
    if (this.#end()) this.asker.failed(error);
  }

  #end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.calls.clear();
    return true;
  }
}

/**
 * The calls under way on one connection, in the order of their replies. Every one ends within `timeoutMs`, whatever the
 * client does.
 */
export class Calls {
  /** Replies so far. */
  heard = 0;
  #first: Call | undefined;
  #last: Call | undefined;
  #watchdog: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    /** A call ended without an answer, and nothing else was heard since it was sent. */
    private readonly onSilence: () => void,
  ) {}

  begin(asker: Asker): Asker {
    const call = new Call(this, asker, this.clock.now(), this.heard);
    if (this.#last === undefined) this.#first = call;
    else this.#last.next = call;
    this.#last = call;
    if (this.#watchdog === undefined) this.#watch(this.timeoutMs);
    return call;
  }

  /** Forgets the calls in front that are over. */
  clear(): void {
    while (this.#first?.isOver === true) this.#first = this.#first.next;
    if (this.#first === undefined) this.#last = undefined;
  }

  /** Ends all of them. */
  fail(error: Error): void {
    for (let call = this.#first; call !== undefined; call = call.next) call.fail(error);
  }

  stop(): void {
    if (this.#watchdog !== undefined) this.clock.clearTimer(this.#watchdog);
    this.#watchdog = undefined;
  }

  // Replies come in the order of the requests, so one timer for the oldest call serves all.
  #watch(ms: number): void {
    this.#watchdog = this.clock.setTimer(() => {
      this.#watchdog = undefined;
      if (this.#first === undefined) return;
      const left = this.#first.sentAt + this.timeoutMs - this.clock.now();
      if (left > 0) this.#watch(left);
      // Timers run before sockets are read: the answer may be there already.
      else this.clock.afterPoll(() => this.#expire());
    }, ms);
  }

  #expire(): void {
    const bound = this.clock.now() - this.timeoutMs;
    let isSilent = false;
    for (let call = this.#first; call !== undefined && call.sentAt <= bound; call = call.next) {
      isSilent ||= !call.isOver && call.heard === this.heard;
      call.fail(noAnswer(`no answer within ${this.timeoutMs} ms`));
    }
    if (isSilent) this.onSilence();
    // A call that has begun since the timer ran has set one of its own, which is too late for the calls before it.
    this.stop();
    if (this.#first !== undefined) this.#watch(this.#first.sentAt + this.timeoutMs - this.clock.now());
  }
}
