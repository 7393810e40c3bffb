import type { Backend, Clock } from 'bedrock-lock';
import type { ContenderJob, MutexVariant } from '../../contender/contender-job.js';
import type { History } from '../../history/history-event.js';

export interface PeerOptions {
  /** Shown as the holder's label. */
  readonly label?: string;
}

/** What the contract needs to know about a backend, and about the server behind it. */
export interface ContractHarness {
  /** Shown in the titles. */
  readonly name: string;
  /** The mutexes that keep the promises of a mutex. @default ['mutex'] */
  readonly kinds?: readonly MutexVariant[];
  /**
   * Drivers and traits that the backend does not have, and `sleep` where its contenders share a process, which cannot sleep by
   * itself: what they promise is not tried.
   */
  readonly unsupported?: readonly (
    'counters' | 'permits' | 'records' | 'weighted' | 'shared' | 'holdAtLeast' | 'sleep'
  )[];
  /**
   * The time of the backends, of the contenders and of the contract itself; `block` lets time pass while nothing runs.
   * @default the system's
   */
  readonly clock?: Clock & { block(ms: number): void };
  /** Half of the hand-overs between processes take no longer, in ms; far below the sweep. @default 50 */
  readonly handOverMs?: number;
  /** Called once, before everything else. */
  open?(): Promise<void>;
  /** A backend of its own on the one store or server of this harness: what a new process would have. */
  backend(options?: PeerOptions): Promise<Backend>;
  /** Runs each job in a process of its own (a peer of its own where processes cannot meet), all at the same time. */
  runContenders(jobs: readonly ContenderJob[]): Promise<History>;
  /** A resource that nobody has used. */
  freshResource(): string;
  /** True when the store keeps nothing about the resource: no grant, no line, no leftover key. */
  isEmpty(resource: string): Promise<boolean>;
  /** Called once, after everything else. */
  close(): Promise<void>;
}
