import type { Claim, PushedGrant, Verdict } from '../../core/claim.js';
import { QUEUE_TIMING } from '../../core/queue-timing.js';
import type { LockSettings } from '../../core/options/options.js';
import { Backoff } from '../../runtime/backoff.js';
import type { Withdrawal } from '../../runtime/withdrawals.js';
import { claimId, type Quantum } from '../holding/hold.js';
import { RETRY_MS, UNPUSHED_POLL_MS } from '../waiting/waiting-loop.js';

/**
 * Tokens reserved: some for callers that come during the hold, and some turns for each waiter.
 * Unused tokens let the counter run ahead of the time that makes tokens grow after data loss. So no
 * more are reserved.
 */
const BASE_TOKENS = 8;
const TOKENS_PER_WAITER = 4;

/**
 * Lease and number of tokens to request, as the head of the queue and the waiters behind it need
 * them.
 */
export interface ClaimSize {
  readonly leaseMs: number;
  readonly tokens: number;
}

export function claimSizeFor(
  settings: LockSettings,
  behind: number,
  quantum: Quantum,
  maxLeaseMs: number,
): ClaimSize {
  // A fixed lease is handed over only if all of it fits into the rest of the claim.
  const roomMs = !settings.renew && behind > 0 ? Math.ceil(quantum.quantumMs) : 0;
  const wanted = Math.min(quantum.quantumGrants, behind * TOKENS_PER_WAITER + BASE_TOKENS);
  return {
    leaseMs: Math.min(settings.leaseMs + roomMs, maxLeaseMs),
    tokens: settings.fencing ? wanted : 0,
  };
}

/** One outermost acquisition: an id that is requested until it is granted or given up. */
export class Attempt {
  readonly id: string;
  leaseMs = 0;
  tokens = 0;
  tries = 0;
  /** Answers in a row that could not be used: stale, or too late to be worth anything. */
  uselessAnswers: number;
  /** The latest arrival when the request was sent: it does not cover later callers. */
  lastArrival: number;
  /** When the request was sent, ms of the engine's clock. */
  sentAt = 0;
  /** A request without an answer may still be executed until this instant, monotonic ms; 0 when there is none. */
  inDoubtUntil = 0;
  /** It was granted, and the grant does not count. */
  isVoid = false;
  /** The backend has this process in its queue. */
  isQueued = false;
  // Most attempts are granted at once.
  #polls: Backoff | undefined;
  #spins: Backoff | undefined;
  #retries: Backoff | undefined;

  /** @param before what was learned under this one goes on */
  constructor(
    processId: string,
    readonly number: number,
    public settings: LockSettings,
    before?: Attempt,
  ) {
    this.id = claimId(processId, number);
    this.uselessAnswers = before?.uselessAnswers ?? 0;
    this.lastArrival = before?.lastArrival ?? 0;
    this.#polls = before === undefined ? undefined : before.#polls;
    this.#spins = before === undefined ? undefined : before.#spins;
    this.#retries = before === undefined ? undefined : before.#retries;
  }

  /**
   * Whether it may continue with these settings. A request in doubt may be granted as it was. An
   * entry in the queue is only for the shape that was requested.
   */
  canContinueWith(settings: LockSettings, leaseMs: number): boolean {
    if (this.settings.shape !== settings.shape) return this.inDoubtUntil === 0 && !this.isQueued;
    return (
      this.inDoubtUntil === 0 ||
      (this.leaseMs === leaseMs && this.settings.holdAtLeastMs === settings.holdAtLeastMs)
    );
  }

  /** The pause after an unreachable backend, in ms. */
  get retryMs(): number {
    return this.#retries?.nextMs ?? RETRY_MS.first;
  }

  /** That pause; the next one is longer. */
  takeRetryMs(): number {
    this.#retries ??= new Backoff(RETRY_MS);
    return this.#retries.take();
  }

  onAnswer(): void {
    this.#retries = undefined;
  }

  /** The pause before asking again where nothing wakes, in ms; longer each time. @param chance in [0, 1) */
  takePollMs(chance: number): number {
    const { spin } = this.settings;
    if (spin === undefined) {
      this.#polls ??= new Backoff(UNPUSHED_POLL_MS);
      return this.#polls.take();
    }
    this.#spins ??= new Backoff({ first: spin.firstMs, longest: spin.lastMs, factor: spin.factor });
    return (this.#spins.take() * (1 + chance)) / 2;
  }

  /** The grant that a request has brought. @param token the first of its fencing tokens */
  toGrant(token: number): PushedGrant {
    return { since: this.sentAt, leaseMs: this.leaseMs, token, tokens: this.tokens };
  }

  /** The grant in an answer, if it is one. */
  grantIn(verdict: Verdict | undefined): PushedGrant | undefined {
    return verdict?.kind === 'granted' ? this.toGrant(verdict.token) : undefined;
  }

  /** The claim for the backend. @param queue join the queue of the server when it is refused */
  toClaim(resource: string, queue: boolean, notAfter: number): Claim {
    return {
      id: this.id,
      resource,
      shape: this.settings.shape,
      queue,
      // A spinning caller does not listen.
      mayPush: this.settings.renew && this.settings.holdAtLeastMs === 0 && this.settings.spin === undefined,
      leaseMs: this.leaseMs,
      holdAtLeastMs: this.settings.holdAtLeastMs,
      tokens: this.tokens,
      notAfter,
    };
  }

  /** What takes back a grant that may still come, and the entry in the server's queue. */
  withdrawal(
    state: { readonly resource: string; readonly waiterCount: number; readonly isFull: boolean },
    operationTimeoutMs: number,
  ): Withdrawal {
    const { id, settings, inDoubtUntil, sentAt, leaseMs } = this;
    const redissonQueueMs = settings.shape.order === 'fifo' ? QUEUE_TIMING.redissonWaitMs : 0;
    return {
      ref: { id, resource: state.resource, shape: settings.shape },
      keepMs: 0,
      leavesQueue: () => state.waiterCount === 0 || state.isFull,
      notBefore: inDoubtUntil,
      overAt: () => sentAt + Math.max(leaseMs, settings.holdAtLeastMs, redissonQueueMs) + operationTimeoutMs,
    };
  }
}
