/** Permits of a semaphore. */
export const PERMITS = 8;

/** Options of every library. Times in ms. */
export interface OpenLockOptions {
  readonly url: string;
  /** The independent servers of a lock on several nodes. */
  readonly nodes?: readonly string[] | undefined;
  readonly leaseMs: number;
  /** Interval at which a polling library retries. */
  readonly pollMs: number;
  /** Random variation of the interval, if the library supports it. */
  readonly jitterMs: number;
}

/**
 * A library that is ready to lock, behind the smallest interface that all of them share. A wrapper returns the promise
 * of its library and adds nothing, so that the library is measured.
 */
export interface OpenLock<G = unknown, K = unknown> {
  /** Waits without a limit for the lock on `key`. */
  acquire(key: string): Promise<G>;
  release(grant: G): Promise<unknown>;
  /** The library's own form of "run this under the lock", for scenarios that measure it. */
  run?(key: string, body: () => Promise<void> | void): Promise<unknown>;
  /** The same for a read beside other readers; a library without read locks uses the lock. */
  read?(key: string, body: () => Promise<void> | void): Promise<unknown>;
  /** Waits until `open` is called, in any process. */
  pass?(key: string): Promise<unknown>;
  shut?(key: string): Promise<unknown>;
  open?(key: string): Promise<unknown>;
  /** Sends a request that the library runs once for each key. */
  once?(key: string): Promise<unknown>;
  /** Acquires a lock that the library itself renews, and releases it. */
  keep?(key: string, onLost: () => void): Promise<K>;
  letGo?(kept: K): Promise<unknown>;
  /**
   * Extends a grant and returns its successor, for a library that renews nothing by itself. A timer per lease calls it,
   * as a user of such a library would do.
   */
  extend?(grant: G): Promise<G>;
  close(): Promise<unknown>;
}

/** A file of this folder: opens the library, connected and ready. */
export type OpenLibrary = (options: OpenLockOptions) => Promise<OpenLock>;

/** For libraries without a lock. */
export function noLock(what: string): Pick<OpenLock<never>, 'acquire' | 'release'> {
  const refuse = (): never => {
    throw new Error(`${what} is not a lock`);
  };
  return { acquire: refuse, release: refuse };
}
