import { onAbort } from '../../runtime/abort-listeners.js';
import type { Lease } from '../../engine/holding/lease.js';

/** One term of a leader: from its election to its loss, or until it gives leadership up. */
export class LeaderTerm {
  readonly #lease: Lease;
  readonly #ending = new AbortController();
  readonly #stopListening: () => void;

  /** @internal Terms come from a `LeaderElection`. */
  constructor(lease: Lease) {
    this.#lease = lease;
    this.#stopListening = onAbort(lease.signal, () => this.end(lease.signal.reason as Error));
  }

  /**
   * Fencing token: strictly greater than that of every earlier term, in any process. Pass it to the
   * storage that you write to, and let that refuse smaller ones. 0 when the election was made with
   * `fencing: false`.
   */
  get token(): number {
    return this.#lease.token;
  }

  /**
   * Aborts when the term is over: with a `LockLostError` when leadership was lost, and else when it
   * is to be given up. The body must end then; a new term does not begin before.
   */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /**
   * True while this process leads, by the clock: no round trip, no await between the check and the
   * next statement.
   */
  get isLeading(): boolean {
    return !this.signal.aborted && this.#lease.isHeld;
  }

  /** Time left unless it is renewed, in ms; 0 when the term is over. */
  get remainingMs(): number {
    return this.signal.aborted ? 0 : this.#lease.remainingMs;
  }

  /** @throws LockLostError when leadership was lost, else the reason for which it is given up */
  assertLeading(): void {
    this.#lease.assertHeld();
    this.signal.throwIfAborted();
  }

  /** @internal Final: only the first reason counts. */
  end(reason: Error): void {
    if (this.signal.aborted) return;
    this.#stopListening();
    this.#ending.abort(reason);
  }
}
