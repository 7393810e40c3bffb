import type { WaitTerms } from '../../core/options/wait-options.js';
import type { Gate } from './gate.js';
import { Turnstile, type TurnstileGround, type TurnstileHouse } from './turnstile.js';
import { WakeHub } from '../waiting/wake-hub.js';

/** The turnstiles of one kind in this process: one per resource that is waited for, and their wakes. */
export class Turnstiles<W extends WaitTerms, T> implements TurnstileHouse<W, T> {
  readonly hub: WakeHub<undefined>;
  readonly #turnstiles = new Map<string, Turnstile<W, T>>();
  #onEmpty: (() => void) | undefined;

  constructor(
    readonly ground: TurnstileGround,
    readonly gate: Gate<W, T>,
  ) {
    this.hub = new WakeHub(ground.clock, {
      watch: (resource, _what, wake) => gate.watch(resource, wake),
    });
  }

  /** Waits for the passage, as the terms say; `waitMs` 0 asks once. */
  pass(resource: string, terms: W, signal: AbortSignal | undefined): Promise<T> {
    let turnstile = this.#turnstiles.get(resource);
    if (turnstile === undefined) {
      turnstile = new Turnstile<W, T>(resource, this);
      this.#turnstiles.set(resource, turnstile);
    }
    return turnstile.pass({ terms, signal, once: terms.waitMs === 0 });
  }

  /** @internal Nobody waits there any more. */
  drop(turnstile: Turnstile<W, T>): void {
    this.#turnstiles.delete(turnstile.resource);
    if (this.#turnstiles.size === 0) this.#onEmpty?.();
  }

  /** Once nobody waits: resolves when no question is under way any more. */
  async whenEmpty(): Promise<void> {
    if (this.#turnstiles.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }
}
