import { noFault, type TrialLock, type Hook } from './trial.lock.js';
import { IMPLEMENTATIONS, type ImplementationName } from './implementations.js';

/** What a fault did to an implementation. */
export interface Finding {
  readonly isBroken: boolean;
  /** What the referee saw. */
  readonly seen: string;
  /** The fault did not hit, so the trial proves nothing. @default false */
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

  /** How long anybody waits: long enough for whoever comes in turn. */
  get timeoutMs(): number {
    return 5 * this.leaseMs;
  }

  /** Another process that uses the lock. @param url to come by another way, such as a proxy */
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

/** Breaks something and looks what comes of it. */
export type Fault = (trial: Trial) => Promise<Finding>;
