import type { Claim } from '../core/claim.js';
import type { Moment } from '../core/clock.js';
import type { Terms } from '../core/options.js';
import { claimId, type Quantum } from './hold.js';

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

const NEVER: Moment = { at: 0, wall: 0 };

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
  sent = NEVER;
  /** A request without an answer may still be executed until this instant, monotonic ms; 0 when there is none. */
  doubtUntil = 0;
  /** The backend has this process in its line. */
  isEnlisted = false;
  #pollMs: number;
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
    this.#pollMs = before === undefined ? POLL_MS.first : before.#pollMs;
    this.#retryMs = before === undefined ? RETRY_MS.first : before.#retryMs;
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

  /** The pause before asking again where nothing wakes, in ms; longer each time. */
  takePollMs(): number {
    const pause = this.#pollMs;
    this.#pollMs = Math.min(pause * 2, POLL_MS.last);
    return pause;
  }

  /** The question for the backend. @param queue stand in line when it is refused */
  claim(resource: string, queue: boolean, notAfter: number): Claim {
    return {
      id: this.id,
      resource,
      mode: 'exclusive',
      units: 1,
      capacity: 1,
      order: 'any',
      queue,
      leaseMs: this.leaseMs,
      holdAtLeastMs: this.terms.holdAtLeastMs,
      tokens: this.tokens,
      notAfter,
    };
  }
}
