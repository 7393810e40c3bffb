import type { Wake } from '../../core/claim.js';
import type { Unsubscribe, Waker } from '../../core/ports/ports.js';

/** Wakers by key, such as a resource. A key without wakers takes no room. */
export class WakerMap {
  readonly #wakers = new Map<string, Set<Waker>>();

  /** Keys with a waker. */
  get size(): number {
    return this.#wakers.size;
  }

  /**
   * Each call counts for itself, also with a function that is there already; its result counts once.
   * @param onLast the last waker of the key has left; not called after `clear()`
   */
  add(key: string, waker: Waker, onLast?: () => void): Unsubscribe {
    const own: Waker = (wake) => waker(wake);
    const wakers = this.#wakers.get(key) ?? new Set();
    this.#wakers.set(key, wakers.add(own));
    return () => {
      if (!wakers.delete(own) || wakers.size > 0 || this.#wakers.get(key) !== wakers) return;
      this.#wakers.delete(key);
      onLast?.();
    };
  }

  wake(key: string, wake?: Wake): void {
    for (const waker of [...(this.#wakers.get(key) ?? [])]) waker(wake);
  }

  wakeAll(): void {
    for (const key of [...this.#wakers.keys()]) this.wake(key);
  }

  /** Forgets all of them: they are woken no more. */
  clear(): void {
    this.#wakers.clear();
  }
}
