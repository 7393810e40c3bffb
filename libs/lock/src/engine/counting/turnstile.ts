import type { Clock } from '../../core/clock.js';
import { outsideOfCallers } from '../../core/context.js';
import {
  LockAbortedError,
  LockBusyError,
  LockClosedError,
  LockWaitTimeoutError,
  type BackendUnavailableError,
} from '../../core/errors.js';
import type { EventHub } from '../../core/events.js';
import type { Backend, Unsubscribe } from '../../core/ports/ports.js';
import type { WaitTerms } from '../../core/options/wait-options.js';
import { Alarm } from '../../runtime/alarm.js';
import { Backoff } from '../../runtime/backoff.js';
import type { Gate, Passage } from './gate.js';
import type { Change, Operations } from './operations.js';
import {
  QueuedSynchronizer,
  type Competitor,
  type Entry,
  type QueueOwner,
} from '../waiting/queued-synchronizer.js';
import { asLockError, isUnavailable } from '../../core/unavailable.js';
import type { Departure, WaitingRoom } from '../waiting/waiting-room.js';
import type { WakeHub } from '../waiting/wake-hub.js';

/** With push, the sweep re-asks; this only bounds the sleep. */
const LONGEST_SLEEP_MS = 60_000;
/** Without push, it is asked again after this long, in ms. */
const POLL_MS = { first: 20, longest: 200 };
/** An unreachable backend is asked again after this long, in ms. */
const RETRY_MS = { first: 50, longest: 1_000 };

/** Callers that are asked for together, under one id until there is an answer. */
interface Question<W extends WaitTerms, T> {
  readonly callers: readonly Competitor<T, W>[];
  /** The latest arrival when it was first sent: who came later is not asked for. */
  readonly arrivals: number;
  readonly change: Change;
  /** It may have been executed without an answer. */
  isInDoubt: boolean;
}

/** What all turnstiles of a Bedrock have in common. */
export interface TurnstileGround {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly room: WaitingRoom;
  readonly events: EventHub;
  readonly operations: Operations;
}

/** What all turnstiles of one kind have in common. */
export interface TurnstileHouse<W extends WaitTerms, T> {
  readonly ground: TurnstileGround;
  readonly gate: Gate<W, T>;
  readonly hub: WakeHub<undefined>;
  drop(turnstile: Turnstile<W, T>): void;
}

/**
 * Where callers of this process wait for one resource that is no lease, first in, first out. One loop asks for those at
 * the front, as many as fit into a question; everybody sleeps until a wake, a permit's end or the sweep.
 */
export class Turnstile<W extends WaitTerms, T> implements QueueOwner<T, W> {
  readonly #queue: QueuedSynchronizer<T, W>;
  readonly #alarm: Alarm;
  readonly #polls = new Backoff(POLL_MS.first, POLL_MS.longest);
  readonly #retries = new Backoff(RETRY_MS.first, RETRY_MS.longest);
  #isRunning = false;
  #lack: string | undefined;
  /** Why the last question has no answer; undefined after an answer. */
  #lastError: BackendUnavailableError | undefined;
  #retryInMs = 0;

  constructor(
    readonly resource: string,
    private readonly house: TurnstileHouse<W, T>,
  ) {
    this.#queue = new QueuedSynchronizer<T, W>(house.ground.room, this);
    this.#alarm = new Alarm(house.ground.clock);
  }

  /** Waits for the passage, as the terms say. */
  pass(entry: Entry<W>): Promise<T> {
    const { terms, once, signal } = entry;
    if (signal?.aborted !== true && !this.house.ground.room.isClosed) {
      // Who takes must not overtake those who wait.
      if (once && this.house.gate.returns !== undefined && this.#queue.size > 0) {
        return Promise.reject(new LockBusyError(this.resource, undefined, this.#lack));
      }
      if (terms.failFast && this.#isRunning && this.#lastError !== undefined) {
        return Promise.reject(this.#lastError);
      }
    }
    const turn = this.#queue.enter(entry);
    if (this.#isRunning) {
      // A live subscription tells the others; who does not wait is owed an answer now.
      if (once) this.#alarm.ring();
    } else if (this.#queue.size > 0) {
      this.#isRunning = true;
      // The loop outlives the caller that started it.
      void outsideOfCallers(() => this.#run());
    } else this.house.drop(this);
    return turn;
  }

  farewell(competitor: Competitor<T, W>, departure: Departure): Error {
    const { resource } = this;
    if (departure === 'aborted') return new LockAbortedError(resource, { cause: competitor.signal?.reason });
    if (departure === 'closed') return new LockClosedError(resource);
    if (this.#lastError !== undefined) return this.#lastError;
    if (departure === 'busy') return new LockBusyError(resource, undefined, this.#lack);
    const waitedMs = this.house.ground.clock.now() - competitor.enteredAt;
    return new LockWaitTimeoutError(resource, waitedMs, undefined, this.#lack);
  }

  arrived(): void {
    // The loop asks when it is its time.
  }

  left(): void {
    if (this.#queue.size === 0) this.#alarm.ring();
  }

  async #run(): Promise<void> {
    const { hub, ground } = this.house;
    let question: Question<W, T> | undefined;
    let unwatch: Unsubscribe | undefined;
    while (this.#queue.size > 0) {
      this.#alarm.reset();
      // A live subscription is joined before asking, so that no wake falls between the answer and the sleep.
      unwatch ??= hub.join(this.resource, this.#alarm.ring);
      question = this.#repeatable(question) ?? this.#newQuestion();
      const { callers, arrivals } = question;
      const passage = await this.#put(question);
      if (passage !== undefined) this.#admit(question, passage);
      if (passage !== undefined || !question.isInDoubt) question = undefined;
      this.#dismiss(arrivals, passage !== undefined);
      if (this.#queue.size === 0 || this.#alarm.isRung) continue;
      const isRefused = passage !== undefined && passage.passes.length < callers.length;
      if (passage !== undefined && !isRefused) continue;
      if (isRefused && ground.backend.traits.push && unwatch === undefined) {
        unwatch = await hub.watch(this.resource, undefined, this.#alarm.ring);
        // What happened before the subscription stood has woken nobody: ask once more.
        if (unwatch !== undefined) continue;
      }
      await this.#alarm.sleep(this.#pause(passage, unwatch !== undefined));
    }
    unwatch?.();
    if (question !== undefined) this.#undo(question);
    this.#isRunning = false;
    this.house.drop(this);
  }

  /** A question in doubt is repeated as it was, while one of its callers waits; else it is undone. */
  #repeatable(question: Question<W, T> | undefined): Question<W, T> | undefined {
    if (question === undefined) return undefined;
    const isWanted = this.house.gate.returns !== undefined && question.callers.some(({ waiting }) => waiting);
    if (isWanted && !question.change.isOver) return question;
    this.#undo(question);
    return undefined;
  }

  #newQuestion(): Question<W, T> {
    const { gate, ground } = this.house;
    const callers: Competitor<T, W>[] = [];
    let one = this.#queue.head;
    for (; one !== undefined && callers.length < gate.callersPerQuestion; one = one.next) callers.push(one);
    return { callers, arrivals: ground.room.arrivals, change: ground.operations.begin(), isInDoubt: false };
  }

  async #put(question: Question<W, T>): Promise<Passage<T> | undefined> {
    const { backend, events } = this.house.ground;
    const { resource } = this;
    try {
      const passage = await this.house.gate.ask(
        resource,
        question.callers.map(termsOf),
        question.change.send(),
      );
      this.#lack = passage.lack;
      this.#lastError = undefined;
      this.#retries.reset();
      return passage;
    } catch (error) {
      const lockError = asLockError(error, backend.name, resource);
      if (!isUnavailable(lockError)) {
        // Nothing that waiting could mend, and the same for everybody: the name holds something else.
        this.#queue.leaveAll('unavailable', lockError);
        return undefined;
      }
      question.isInDoubt ||= lockError.executed === 'unknown';
      this.#lastError = lockError;
      this.#retryInMs = this.#retries.take();
      if (events.wants('backend.unavailable'))
        events.emit('backend.unavailable', { resource, error: lockError, retryInMs: this.#retryInMs });
      return undefined;
    }
  }

  /** Lets pass whom it was granted to; what was granted to those who left meanwhile goes back. */
  #admit({ callers }: Question<W, T>, { passes }: Passage<T>): void {
    const gone: W[] = [];
    for (const [i, pass] of passes.entries()) {
      const caller = callers[i]!;
      // Those who were asked for and still wait are the first in the queue.
      if (caller.waiting) this.#queue.shift().resolve(pass);
      else gone.push(caller.terms);
    }
    const { operations } = this.house.ground;
    const { returns } = this.house.gate;
    if (gone.length === 0 || returns === undefined) return;
    operations.insist(this.resource, operations.begin(), (operation) =>
      returns.giveBack(this.resource, gone, operation),
    );
  }

  #undo({ callers, change }: Question<W, T>): void {
    const { returns } = this.house.gate;
    if (returns === undefined) return;
    this.house.ground.operations.insist(this.resource, change, (operation) =>
      returns.undo(this.resource, callers.map(termsOf), operation),
    );
  }

  /** Rejects those who do not wait after a refusal or a failure, as far as they were there when it was asked. */
  #dismiss(arrivals: number, isAnswered: boolean): void {
    this.#queue.leaveWhere(
      ({ once, terms, arrival }) => arrival <= arrivals && (once || (!isAnswered && terms.failFast)),
      isAnswered ? 'busy' : 'unavailable',
    );
  }

  #pause(passage: Passage<T> | undefined, isWatching: boolean): number {
    if (passage === undefined) return this.#retryInMs;
    return Math.max(1, Math.min(passage.retryInMs, isWatching ? LONGEST_SLEEP_MS : this.#polls.take()));
  }
}

function termsOf<T, W extends WaitTerms>({ terms }: Competitor<T, W>): W {
  return terms;
}
