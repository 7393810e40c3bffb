import type { Backend, Clock } from 'bedrock-lock';
import type { ContenderJob, MutexVariant } from '../../contender/contender-job.js';
import type { History } from '../../history/history-event.js';
import type { RequestMeter } from './request-meter.js';

export interface PeerOptions {
  /** Shown as the holder's label. */
  readonly label?: string;
}

/** What the contract needs of a backend and its server. */
export interface ContractHarness {
  /** Shown in the titles. */
  readonly name: string;
  /** Mutexes that keep the promises of a mutex. @default ['mutex'] */
  readonly kinds?: readonly MutexVariant[];
  /**
   * Drivers and traits that the backend lacks. Also `sleep` if its contenders share a process, which cannot sleep by
   * itself. The contract skips their promises.
   */
  readonly unsupported?: readonly (
    'admin' | 'counters' | 'permits' | 'records' | 'weighted' | 'shared' | 'holdAtLeast' | 'sleep'
  )[];
  /**
   * Clock of the backends, the contenders and the contract itself; `block` lets time pass while no code runs.
   * @default the system clock
   */
  readonly clock?: Clock & { block(ms: number): void };
  /** Half of the hand-overs between processes take at most this long, in ms; far below the sweep. @default 50 */
  readonly handOverMs?: number;
  /** How long the server may keep an empty queue whose last process died, in ms. @default 0 */
  readonly emptyQueueMs?: number;
  /** What counts requests; without it round trips are not tried. */
  readonly roundTrips?: RequestMeter;
  /** Called once, before everything else. */
  open?(): Promise<void>;
  /** A new backend on the one store or server of this harness, as a new process would have. */
  backend(options?: PeerOptions): Promise<Backend>;
  /**
   * Runs each job in a process of its own (a peer of its own if processes cannot share the store), all at the same
   * time.
   */
  runContenders(jobs: readonly ContenderJob[]): Promise<History>;
  /** A resource that no test has used. */
  freshResource(): string;
  /** True if the store keeps nothing about the resource: no grant, no queue, no leftover key. */
  isEmpty(resource: string): Promise<boolean>;
  /** Called once, after everything else. */
  close(): Promise<void>;
}
