import { AsyncResource } from 'node:async_hooks';
import type { Lease } from 'bedrock-lock';
import type { HeldBody } from './hold-locks.js';

/** A policy's result in place of the body's value. */
export interface Replacement {
  readonly replacement: unknown;
}

const ENDED = Symbol('the body ended by itself');

/** A hold that is opened now and ended later, for streams and iterators. */
export class OpenHold {
  // Equals AsyncLocalStorage.snapshot(), which costs seventy times as much on Node 20.
  readonly #context = new AsyncResource('BedrockHold');
  /** Runs a function in the hold's call chain: `currentLease()` and nested `run` calls see it. */
  readonly inContext = <R>(fn: () => R): R => this.#context.runInAsyncScope(fn);
  readonly #leases: readonly Lease[];
  readonly #finish: (end: typeof ENDED) => void;
  readonly #fail: (error: unknown) => void;
  readonly #settled: () => Promise<unknown>;

  private constructor(
    leases: readonly Lease[],
    finish: (end: typeof ENDED) => void,
    fail: (error: unknown) => void,
    settled: () => Promise<unknown>,
  ) {
    this.#leases = leases;
    this.#finish = finish;
    this.#fail = fail;
    this.#settled = settled;
  }

  /** Waits for the locks. Rejects as `hold` does; resolves with a replacement if `onBusy` provided one. */
  static open(hold: (body: HeldBody) => Promise<unknown>): Promise<OpenHold | Replacement> {
    return new Promise((resolve, reject) => {
      const settled: Promise<unknown> = hold(
        (leases) => new Promise((finish, fail) => resolve(new OpenHold(leases, finish, fail, () => settled))),
      );
      // Both do nothing after the opening; `end()` and `fail()` report the outcome.
      settled.then((replacement) => resolve({ replacement }), reject);
    });
  }

  /** @throws LockLostError if one of the leases has ended */
  assertHeld(): void {
    for (const lease of this.#leases) lease.assertHeld();
  }

  /** Calls back once when a lease is lost; returns the removal. */
  onLost(listener: (error: unknown) => void): () => void {
    const stop = new AbortController();
    for (const { signal } of this.#leases) {
      if (signal.aborted) listener(signal.reason);
      else
        signal.addEventListener('abort', () => listener(signal.reason), { once: true, signal: stop.signal });
    }
    return () => stop.abort();
  }

  /** Releases. Rejects with LockLostError if a lease was lost, unless `onLost` provided a replacement. */
  end(): Promise<Replacement | undefined> {
    this.#finish(ENDED);
    return this.#outcome();
  }

  /** Releases after an error of the body, and rejects with it unless `onLost` provides a replacement. */
  fail(error: unknown): Promise<Replacement | undefined> {
    this.#fail(error);
    return this.#outcome();
  }

  async #outcome(): Promise<Replacement | undefined> {
    const value = await this.#settled();
    return value === ENDED ? undefined : { replacement: value };
  }
}
