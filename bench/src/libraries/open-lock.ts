/** Permits of a semaphore. */
export const PERMITS = 8;

/** What every library is opened with. Times in ms. */
export interface OpenLockOptions {
  readonly url: string;
  /** Where the lock is on several independent servers: those. */
  readonly nodes?: readonly string[] | undefined;
  readonly leaseMs: number;
  /** How often a library that polls asks again. */
  readonly pollMs: number;
  /** Up to this much more or less at random, where the library lets one set it. */
  readonly jitterMs: number;
}

/**
 * A library that is ready to lock, behind the smallest surface that all of them share. A wrapper hands on the promise
 * of its library and adds nothing: what is measured is the library.
 */
export interface OpenLock<G = unknown, K = unknown> {
  /** Waits without an end for the lock on `key`. */
  acquire(key: string): Promise<G>;
  release(grant: G): Promise<unknown>;
  /** The library's own form of "run this under the lock", where that is what is measured. */
  run?(key: string, body: () => Promise<void> | void): Promise<unknown>;
  /** The same beside others who only read; who cannot do that reads under the lock. */
  read?(key: string, body: () => Promise<void> | void): Promise<unknown>;
  /** Waits until `open` is called, in any process. */
  pass?(key: string): Promise<unknown>;
  shut?(key: string): Promise<unknown>;
  open?(key: string): Promise<unknown>;
  /** Sends a request that the library runs once for each key. */
  once?(key: string): Promise<unknown>;
  /** Takes a lock that the library itself keeps renewed, and gives it back. */
  keep?(key: string, onLost: () => void): Promise<K>;
  letGo?(kept: K): Promise<unknown>;
  /**
   * Pushes the expiry of a grant and gives the one to go on with, for a library that renews nothing by itself: a timer
   * per lease calls it, as a user of such a library would write it.
   */
  extend?(grant: G): Promise<G>;
  close(): Promise<unknown>;
}

/** A file of this folder: opens the library, connected and ready. */
export type OpenLibrary = (options: OpenLockOptions) => Promise<OpenLock>;

/** For what is no lock. */
export function noLock(what: string): Pick<OpenLock<never>, 'acquire' | 'release'> {
  const refuse = (): never => {
    throw new Error(`${what} is not a lock`);
  };
  return { acquire: refuse, release: refuse };
}
