import { AsyncResource } from 'node:async_hooks';
import type { Lease } from 'bedrock-lock';
import type { HeldBody } from './hold-locks.js';

/** A policy answered in place of the body, with this value. */
export interface Replacement {
  readonly replacement: unknown;
}

const ENDED = Symbol('the body ended by itself');

/** A hold without a function around it: opened now, ended later. For streams and iterators. */
export class OpenHold {
  // As AsyncLocalStorage.snapshot(), which costs seventy times as much on Node 20.
  readonly #context = new AsyncResource('BedrockHold');
  /** Runs a function in the call chain of the hold: `currentLease()` and nested `run`s see it. */
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

  /** Waits for the locks. Rejects as `hold` does; a replacement when its `onBusy` answered. */
  static open(hold: (body: HeldBody) => Promise<unknown>): Promise<OpenHold | Replacement> {
    return new Promise((resolve, reject) => {
      const settled: Promise<unknown> = hold(
        (leases) => new Promise((finish, fail) => resolve(new OpenHold(leases, finish, fail, () => settled))),
      );
      // After the opening both do nothing; `end()` and `fail()` tell how it went.
      settled.then((replacement) => resolve({ replacement }), reject);
    });
  }

  /** @throws LockLostError when one of the leases is over */
  assertHeld(): void {
    for (const lease of this.#leases) lease.assertHeld();
  }

  /** Calls back once when a lease is lost; gives back the way to stop that. */
  onLost(listener: (error: unknown) => void): () => void {
    const stop = new AbortController();
    for (const { signal } of this.#leases) {
      if (signal.aborted) listener(signal.reason);
      else
        signal.addEventListener('abort', () => listener(signal.reason), { once: true, signal: stop.signal });
    }
    return () => stop.abort();
  }

  /** Releases. Rejects with LockLostError when a lease was lost; a replacement when `onLost` answered. */
  end(): Promise<Replacement | undefined> {
    this.#finish(ENDED);
    return this.#outcome();
  }

  /** Releases after an error of the body, and rejects with it unless `onLost` answers. */
  fail(error: unknown): Promise<Replacement | undefined> {
    this.#fail(error);
    return this.#outcome();
  }

  async #outcome(): Promise<Replacement | undefined> {
    const value = await this.#settled();
    return value === ENDED ? undefined : { replacement: value };
  }
}
