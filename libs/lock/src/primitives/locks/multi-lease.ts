import { InvalidOptionError } from '../../core/errors.js';
import type { ReleaseOutcome } from '../../core/events.js';
import { onAbort } from '../../runtime/abort-listeners.js';
import type { Lease } from '../../engine/holding/lease.js';
import type { Lock } from './lock.js';

/** A lock of several, and the lease on it. */
export interface HeldLock {
  readonly lock: Lock;
  readonly lease: Lease;
}

/**
 * The leases of several locks as one: it holds as long as every one of them does. As a `Lease` it
 * answers from the clock, and is dead after its release.
 */
export class MultiLease implements AsyncDisposable {
  /** In the order in which they were taken. */
  readonly leases: readonly Lease[];
  readonly #held: readonly HeldLock[];
  #controller: AbortController | undefined;
  #stopListening: (() => void)[] = [];
  #ended: Promise<ReleaseOutcome> | undefined;

  /** @internal Leases come from a `MultiLock`. */
  constructor(held: readonly HeldLock[]) {
    this.#held = held;
    this.leases = held.map(({ lease }) => lease);
  }

  /** The locked resources, in the order of locking. */
  get resources(): readonly string[] {
    return this.leases.map(({ resource }) => resource);
  }

  /**
   * The fencing token of each resource; see `Lease.token`. Where locks of several backends have one
   * name, `leaseOf()` tells them apart.
   */
  get tokens(): ReadonlyMap<string, number> {
    return new Map(this.leases.map(({ resource, token }) => [resource, token]));
  }

  /** The lease of one of the locks. @throws InvalidOptionError for a lock that is not among them */
  leaseOf(lock: Lock): Lease {
    const found = this.#held.find(
      ({ lock: { engine, resource } }) => engine === lock?.engine && resource === lock.resource,
    );
    if (found === undefined)
      throw new InvalidOptionError('lock', 'one of the locks of this multi-lock', lock);
    return found.lease;
  }

  /** When the first of them ends unless it is renewed, in ms of the monotonic clock. */
  get validUntil(): number {
    return Math.min(...this.leases.map(({ validUntil }) => validUntil));
  }

  /** Time left until the first of them ends, in ms; 0 when one is released, lost or over. */
  get remainingMs(): number {
    return Math.min(...this.leases.map(({ remainingMs }) => remainingMs));
  }

  /** True while all of them are held, by the clock. */
  get isHeld(): boolean {
    return this.leases.every(({ isHeld }) => isHeld);
  }

  /** True once one of them is known to have ended before its release. */
  get isLost(): boolean {
    return this.leases.some(({ isLost }) => isLost);
  }

  /** @throws LockLostError, LockNotHeldError of the first that is not held */
  assertHeld(): void {
    for (const lease of this.leases) lease.assertHeld();
  }

  /** Aborts with the `LockLostError` of the first that is lost; never by a release. Made on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      for (const { signal } of this.leases) {
        if (signal.aborted) controller.abort(signal.reason);
        else this.#stopListening.push(onAbort(signal, () => controller.abort(signal.reason)));
      }
    }
    return this.#controller.signal;
  }

  /**
   * Renews all of them now, as `Lease.extend()` does.
   * @throws the error of the first that could not be renewed; the others have been
   */
  async extend(leaseMs?: number): Promise<void> {
    const renewals = await Promise.allSettled(this.leases.map((lease) => lease.extend(leaseMs)));
    for (const renewal of renewals) if (renewal.status === 'rejected') throw renewal.reason;
  }

  /** Keeps all of them until `work` has settled; see `Lease.holdUntil()`. @throws as that; nothing is kept then */
  holdUntil(work: PromiseLike<unknown>): void {
    this.assertHeld();
    for (const lease of this.leases) lease.holdUntil(work);
  }

  /**
   * Gives all of them back, in reverse order, and settles within the backends'
   * `operationTimeoutMs`; never throws. `lost`: one had ended before. `unconfirmed`: of one the
   * backend did not confirm it. `deferred`: see `holdUntil()`.
   */
  release(): Promise<ReleaseOutcome> {
    this.#ended ??= this.#release();
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  /** @internal For a lease that is over: a loss no longer matters. */
  stopListening(): void {
    for (const stop of this.#stopListening.splice(0)) stop();
  }

  async #release(): Promise<ReleaseOutcome> {
    const outcomes = await Promise.all([...this.leases].reverse().map((lease) => lease.release()));
    // A deferred lease may still be lost.
    if (!outcomes.includes('deferred')) this.stopListening();
    if (outcomes.includes('lost')) return 'lost';
    if (outcomes.includes('unconfirmed')) return 'unconfirmed';
    return outcomes.includes('deferred') ? 'deferred' : 'released';
  }
}
