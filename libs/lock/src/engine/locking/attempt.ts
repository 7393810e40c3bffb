import type { Claim, PushedGrant, Verdict } from '../../core/claim.js';
import { LINE_TIMING } from '../../core/line-timing.js';
import type { Terms } from '../../core/options/options.js';
import { Backoff } from '../../runtime/backoff.js';
import type { Withdrawal } from '../../runtime/withdrawals.js';
import { claimId, type Quantum } from '../holding/hold.js';

/**
 * Tokens reserved: some for those who come during the hold, and some turns for each who waits already. Not more, since
 * what is reserved in vain lets the counter run ahead of the time that makes tokens grow after data loss.
 */
const FEW_TOKENS = 8;
const TOKENS_PER_WAITER = 4;
/** Without push, a head re-asks after this long, doubled each time, in ms. */
const POLL_MS = { first: 20, last: 200 };
/** An unreachable backend is asked again after this long, doubled each time, in ms. */
const RETRY_MS = { first: 50, last: 1_000 };

/** What is asked for, as the head of the queue and those behind it want it. */
export interface Ask {
  readonly leaseMs: number;
  readonly tokens: number;
}

export function askFor(terms: Terms, behind: number, quantum: Quantum, maxLeaseMs: number): Ask {
  // A fixed lease is handed over only if the whole of it fits into what is left of the claim.
  const roomMs = !terms.renew && behind > 0 ? Math.ceil(quantum.quantumMs) : 0;
  const wanted = Math.min(quantum.quantumGrants, behind * TOKENS_PER_WAITER + FEW_TOKENS);
  return {
    leaseMs: Math.min(terms.leaseMs + roomMs, maxLeaseMs),
    tokens: terms.fencing ? wanted : 0,
  };
}

/** One outermost acquisition: an id that is asked for until it is granted or given up. */
export class Attempt {
  readonly id: string;
  leaseMs = 0;
  tokens = 0;
  tries = 0;
  /** Answers in a row that could not be used: stale, or too late to be worth anything. */
  useless: number;
  /** The latest arrival when the question was sent: who came later was not asked for. */
  arrivals: number;
  /** When the question was sent, ms of the engine's clock. */
  sent = 0;
  /** A request without an answer may still be executed until this instant, monotonic ms; 0 when there is none. */
  doubtUntil = 0;
  /** It was granted, and the grant does not count. */
  isSpent = false;
  /** The backend has this process in its line. */
  isEnlisted = false;
  // Most attempts are granted at once.
  #polls: Backoff | undefined;
  #spins: Backoff | undefined;
  #retryMs: number;

  /** @param before what was learned under this one goes on */
  constructor(
    processId: string,
    readonly number: number,
    public terms: Terms,
    before?: Attempt,
  ) {
    this.id = claimId(processId, number);
    this.useless = before?.useless ?? 0;
    this.arrivals = before?.arrivals ?? 0;
    this.#polls = before === undefined ? undefined : before.#polls;
    this.#spins = before === undefined ? undefined : before.#spins;
    this.#retryMs = before === undefined ? RETRY_MS.first : before.#retryMs;
  }

  /**
   * Whether it may go on under these terms. A request in doubt may be granted as it was, and a place in line is one for the
   * shape that was asked for.
   */
  mayBecome(terms: Terms, leaseMs: number): boolean {
    if (this.terms.shape !== terms.shape) return this.doubtUntil === 0 && !this.isEnlisted;
    return (
      this.doubtUntil === 0 || (this.leaseMs === leaseMs && this.terms.holdAtLeastMs === terms.holdAtLeastMs)
    );
  }

  /** The pause after an unreachable backend, in ms. */
  get retryMs(): number {
    return this.#retryMs;
  }

  lengthenRetry(): void {
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS.last);
  }

  wasAnswered(): void {
    this.#retryMs = RETRY_MS.first;
  }

  /** The pause before asking again where nothing wakes, in ms; longer each time. @param chance in [0, 1) */
  takePollMs(chance: number): number {
    const { spin } = this.terms;
    if (spin === undefined) {
      this.#polls ??= new Backoff(POLL_MS.first, POLL_MS.last);
      return this.#polls.take();
    }
    this.#spins ??= new Backoff(spin.firstMs, spin.lastMs, spin.factor);
    return (this.#spins.take() * (1 + chance)) / 2;
  }

  /** What a granted question has brought. @param token the first of its fencing tokens */
  granted(token: number): PushedGrant {
    return { since: this.sent, leaseMs: this.leaseMs, token, tokens: this.tokens };
  }

  /** The grant in an answer, if it is one. */
  grantIn(verdict: Verdict | undefined): PushedGrant | undefined {
    return verdict?.kind === 'granted' ? this.granted(verdict.token) : undefined;
  }

  /** The question for the backend. @param queue stand in line when it is refused */
  claim(resource: string, queue: boolean, notAfter: number): Claim {
    return {
      id: this.id,
      resource,
      shape: this.terms.shape,
      queue,
      // Who spins does not listen.
      mayPush: this.terms.renew && this.terms.holdAtLeastMs === 0 && this.terms.spin === undefined,
      leaseMs: this.leaseMs,
      holdAtLeastMs: this.terms.holdAtLeastMs,
      tokens: this.tokens,
      notAfter,
    };
  }

  /** What takes back a grant that may still come, and the place in line. */
  withdrawal(
    seat: { readonly resource: string; readonly waiting: number; readonly isFull: boolean },
    operationTimeoutMs: number,
  ): Withdrawal {
    const { id, terms, doubtUntil, sent, leaseMs } = this;
    const place = terms.shape.order === 'fifo' ? LINE_TIMING.redissonWaitMs : 0;
    return {
      ref: { id, resource: seat.resource, shape: terms.shape },
      keepMs: 0,
      leavesQueue: () => seat.waiting === 0 || seat.isFull,
      notBefore: doubtUntil,
      overAt: () => sent + Math.max(leaseMs, terms.holdAtLeastMs, place) + operationTimeoutMs,
    };
  }
}
