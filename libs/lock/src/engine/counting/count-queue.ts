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
import type { Backend, Waker } from '../../core/ports/ports.js';
import type { WaitSettings } from '../../core/options/wait-options.js';
import type { RequestObserver } from '../../core/ports/request-observer.js';
import { WakeableSleep } from '../../runtime/wakeable-sleep.js';
import { Backoff } from '../../runtime/backoff.js';
import type { CountStrategy, CountAnswer } from './count-strategy.js';
import type { PendingOperation, Operations } from './operations.js';
import {
  QueuedSynchronizer,
  type Waiter,
  type WaitRequest,
  type QueueOwner,
} from '../waiting/queued-synchronizer.js';
import { asLockError, isUnavailable } from '../../core/unavailable.js';
import type { LeaveReason, WaiterRegistry } from '../waiting/waiter-registry.js';
import {
  LONGEST_SLEEP_MS,
  RETRY_MS,
  UNPUSHED_POLL_MS,
  runWaitingLoop,
  type RequestOutcome,
  type WaitingStrategy,
} from '../waiting/waiting-loop.js';
import type { WakeHub } from '../waiting/wake-hub.js';

/** Callers that share a request, under one id until there is an answer. */
interface CountRequest<W extends WaitSettings, T> {
  readonly callers: readonly Waiter<T, W>[];
  /** The latest arrival when it was first sent: it does not cover later callers. */
  readonly lastArrival: number;
  readonly operation: PendingOperation;
  /** It may have been executed without an answer. */
  isInDoubt: boolean;
}

/** What all queues of a Bedrock share. */
export interface CountDeps {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly registry: WaiterRegistry;
  readonly events: EventHub;
  readonly operations: Operations;
  readonly requests: RequestObserver;
}

/** What all queues of one kind share, and call back. */
export interface CountQueueOwner<W extends WaitSettings, T> {
  readonly deps: CountDeps;
  readonly strategy: CountStrategy<W, T>;
  readonly hub: WakeHub<undefined>;
  drop(queue: CountQueue<W, T>): void;
}

/**
 * The callers of this process that wait for one resource without leases, first in, first out. One
 * loop sends requests for the callers at the front, as many as fit into a request. All callers
 * sleep until a wake, the end of a permit, or the sweep.
 */
export class CountQueue<W extends WaitSettings, T> implements QueueOwner<T, W>, WaitingStrategy<undefined> {
  readonly usage = undefined;
  readonly sleep: WakeableSleep;
  readonly wake: Waker;
  readonly #queue: QueuedSynchronizer<T, W>;
  readonly #polls = new Backoff(UNPUSHED_POLL_MS);
  readonly #retries = new Backoff(RETRY_MS);
  #isRunning = false;
  /** The request without an answer, which may be repeated. */
  #request: CountRequest<W, T> | undefined;
  #answer: CountAnswer<T> | undefined;
  #lack: string | undefined;
  /** Why the last request has no answer; undefined after an answer. */
  #lastError: BackendUnavailableError | undefined;
  #retryInMs = 0;

  constructor(
    readonly resource: string,
    private readonly owner: CountQueueOwner<W, T>,
  ) {
    this.#queue = new QueuedSynchronizer<T, W>(owner.deps.registry, this);
    this.sleep = new WakeableSleep(owner.deps.clock);
    this.wake = this.sleep.wake;
  }

  /** Waits for the grant, as the settings say. */
  wait(request: WaitRequest<W>): Promise<T> {
    const { settings, triesOnce, signal } = request;
    if (signal?.aborted !== true && !this.owner.deps.registry.isClosed) {
      // A new caller must not overtake the waiters.
      if (triesOnce && this.owner.strategy.compensation !== undefined && this.#queue.size > 0) {
        return Promise.reject(new LockBusyError(this.resource, undefined, this.#lack));
      }
      if (settings.failFast && this.#isRunning && this.#lastError !== undefined) {
        return Promise.reject(this.#lastError);
      }
    }
    const turn = this.#queue.enqueue(request);
    if (this.#isRunning) {
      // A live subscription wakes the other callers; a caller that does not wait needs an answer
      // now.
      if (triesOnce) this.sleep.wake();
    } else if (this.#queue.size > 0) {
      this.#isRunning = true;
      // The loop goes on after the caller that started it.
      void outsideOfCallers(() => runWaitingLoop(this, this.owner.hub));
    } else this.owner.drop(this);
    return turn;
  }

  rejectionFor(waiter: Waiter<T, W>, reason: LeaveReason): Error {
    const { resource } = this;
    if (reason === 'aborted') return new LockAbortedError(resource, { cause: waiter.signal?.reason });
    if (reason === 'closed') return new LockClosedError(resource);
    if (this.#lastError !== undefined) return this.#lastError;
    if (reason === 'busy') return new LockBusyError(resource, undefined, this.#lack);
    const waitedMs = this.owner.deps.clock.now() - waiter.enqueuedAt;
    return new LockWaitTimeoutError(resource, waitedMs, undefined, this.#lack);
  }

  onEnqueued(): void {
    // The loop sends requests at its own times.
  }

  onLeft(): void {
    if (this.#queue.size === 0) this.sleep.wake();
  }

  get waiterCount(): number {
    return this.#queue.size;
  }

  get isWanted(): boolean {
    return this.#queue.size > 0;
  }

  get listens(): boolean {
    return this.owner.deps.backend.traits.push;
  }

  async ask(): Promise<RequestOutcome> {
    const request = this.#repeatableRequest() ?? this.#newRequest();
    const { callers, lastArrival } = request;
    let answer: CountAnswer<T> | undefined;
    try {
      const { strategy, deps } = this.owner;
      const { resource } = this;
      const pending = strategy.request(resource, callers.map(settingsOf), request.operation.send());
      answer = await deps.requests.observe('take', { resource }, pending);
      this.#onAnswer(answer);
    } catch (error) {
      this.#onFailure(request, error);
    }
    if (answer !== undefined) this.#grant(request, answer);
    this.#answer = answer;
    this.#request = answer === undefined && request.isInDoubt ? request : undefined;
    this.#rejectNonWaiting(lastArrival, answer !== undefined);
    if (answer === undefined) return 'failed';
    return answer.grants.length < callers.length ? 'refused' : 'served';
  }

  pauseMs(isWatching: boolean): number {
    const answer = this.#answer;
    if (answer === undefined) return this.#retryInMs;
    return Math.max(1, Math.min(answer.retryInMs, isWatching ? LONGEST_SLEEP_MS : this.#polls.take()));
  }

  end(): void {
    if (this.#request !== undefined) this.#undo(this.#request);
    this.#isRunning = false;
    this.owner.drop(this);
  }

  /** A request in doubt is repeated as it was, while one of its callers waits; else it is undone. */
  #repeatableRequest(): CountRequest<W, T> | undefined {
    const request = this.#request;
    if (request === undefined) return undefined;
    const isWanted =
      this.owner.strategy.compensation !== undefined && request.callers.some(({ isWaiting }) => isWaiting);
    if (isWanted && !request.operation.isExpired) return request;
    this.#undo(request);
    return undefined;
  }

  #newRequest(): CountRequest<W, T> {
    const { strategy, deps } = this.owner;
    const callers: Waiter<T, W>[] = [];
    let one = this.#queue.head;
    for (; one !== undefined && callers.length < strategy.maxCallersPerRequest; one = one.next)
      callers.push(one);
    return {
      callers,
      lastArrival: deps.registry.lastArrival,
      operation: deps.operations.begin(),
      isInDoubt: false,
    };
  }

  #onAnswer({ lack }: CountAnswer<T>): void {
    this.#lack = lack;
    this.#lastError = undefined;
    this.#retries.reset();
  }

  #onFailure(request: CountRequest<W, T>, error: unknown): void {
    const { backend, events } = this.owner.deps;
    const { resource } = this;
    const lockError = asLockError(error, backend.name, resource);
    // Waiting cannot help, and every waiter would fail alike: the name holds another type.
    if (!isUnavailable(lockError)) return this.#queue.rejectAll('unavailable', lockError);
    request.isInDoubt ||= lockError.executed === 'unknown';
    this.#lastError = lockError;
    this.#retryInMs = this.#retries.take();
    if (events.hasListeners('backend.unavailable'))
      events.emit('backend.unavailable', { resource, error: lockError, retryInMs: this.#retryInMs });
  }

  /** Resolves the callers that were served. Grants of callers that left meanwhile go back. */
  #grant({ callers }: CountRequest<W, T>, { grants }: CountAnswer<T>): void {
    const gone: W[] = [];
    for (const [i, grant] of grants.entries()) {
      const caller = callers[i]!;
      // Those callers of the request that still wait are the first in the queue.
      if (caller.isWaiting) this.#queue.dequeue().resolve(grant);
      else gone.push(caller.settings);
    }
    const { operations } = this.owner.deps;
    const { compensation } = this.owner.strategy;
    if (gone.length === 0 || compensation === undefined) return;
    operations.repeatInBackground(this.resource, operations.begin(), (operation) =>
      compensation.giveBack(this.resource, gone, operation),
    );
  }

  #undo({ callers, operation: pending }: CountRequest<W, T>): void {
    const { compensation } = this.owner.strategy;
    if (compensation === undefined) return;
    this.owner.deps.operations.repeatInBackground(this.resource, pending, (operation) =>
      compensation.undo(this.resource, callers.map(settingsOf), operation),
    );
  }

  /**
   * After a refusal or a failure, rejects callers that do not wait, if they came before the
   * request.
   */
  #rejectNonWaiting(lastArrival: number, isAnswered: boolean): void {
    this.#queue.rejectWhere(
      ({ triesOnce, settings, arrival }) =>
        arrival <= lastArrival && (triesOnce || (!isAnswered && settings.failFast)),
      isAnswered ? 'busy' : 'unavailable',
    );
  }
}

function settingsOf<T, W extends WaitSettings>({ settings }: Waiter<T, W>): W {
  return settings;
}
