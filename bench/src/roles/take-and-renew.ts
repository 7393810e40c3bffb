import type { OpenLock } from '../libraries/open-lock.js';

/** A renewal leaves a fifth of the lease as reserve, as redis-semaphore does. */
const RENEW_AT = 0.8;

/** A lease with a timer of its own, for a library that renews nothing by itself. */
class TimedLease {
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly lock: OpenLock,
    private grant: unknown,
    leaseMs: number,
    private readonly onLost: () => void,
  ) {
    this.#timer = setInterval(() => void this.#renew(), RENEW_AT * leaseMs);
  }

  async letGo(): Promise<void> {
    clearInterval(this.#timer);
    await this.lock.release(this.grant);
  }

  async #renew(): Promise<void> {
    try {
      this.grant = await this.lock.extend!(this.grant);
    } catch {
      clearInterval(this.#timer);
      this.onLost();
    }
  }
}

/** Acquires a lock that stays renewed: by the library if it does that, else by a timer for each lease. */
export async function takeAndRenew(
  lock: OpenLock,
  key: string,
  leaseMs: number,
  onLost: () => void,
): Promise<unknown> {
  if (lock.keep !== undefined) return lock.keep(key, onLost);
  return new TimedLease(lock, await lock.acquire(key), leaseMs, onLost);
}

/** Releases the lock. */
export async function letGo(lock: OpenLock, kept: unknown): Promise<void> {
  if (kept instanceof TimedLease) await kept.letGo();
  else await lock.letGo!(kept);
}
