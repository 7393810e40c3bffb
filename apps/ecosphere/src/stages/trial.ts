import { noFault, type TrialLock, type Hook } from './trial.lock.js';
import { IMPLEMENTATIONS, type ImplementationName } from './implementations.js';

/** Effect of a fault on an implementation. */
export interface Finding {
  readonly isBroken: boolean;
  /** The referee's observation. */
  readonly seen: string;
  /** True if the fault did not hit, so the trial proves nothing. @default false */
  readonly isMissed?: boolean;
}

/** One implementation under one fault, with a key of its own on the server. */
export class Trial {
  readonly #locks: TrialLock[] = [];

  constructor(
    readonly implementation: ImplementationName,
    readonly url: string,
    readonly key: string,
    readonly leaseMs: number,
  ) {}

  /** How long a caller waits, in ms: long enough for every caller that comes in turn. */
  get timeoutMs(): number {
    return 5 * this.leaseMs;
  }

  /** Another process that uses the lock. @param url another route, such as a proxy */
  lock(at: Hook = noFault, url = this.url): TrialLock {
    const { key, leaseMs } = this;
    const lock = IMPLEMENTATIONS[this.implementation].make({ url, key, leaseMs, at });
    this.#locks.push(lock);
    return lock;
  }

  async close(): Promise<void> {
    await Promise.all(this.#locks.map((lock) => lock.close()));
  }
}

/** Causes a failure and observes the outcome. */
export type Fault = (trial: Trial) => Promise<Finding>;
