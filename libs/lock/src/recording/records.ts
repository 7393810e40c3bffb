import type { ClaimMode } from '../core/claim.js';
import type { ReleaseEnd, WaitEnd } from '../core/events.js';

/** The wait of one caller for a lock; 0 ms if the lock was free. */
export interface RecordedWait {
  /** The name that the lock was created with. */
  readonly lock: string;
  /** The parts of its key as one text with colons; '' for the whole lock. */
  readonly key: string;
  /** What `as()` called the caller. */
  readonly label: string | undefined;
  /** How it ended; undefined while the caller waits. */
  readonly end: WaitEnd | undefined;
  /** In ms; so far, if the caller still waits. */
  readonly waitedMs: number;
}

/** One hold of a lock, from its grant to its end. Re-entries are part of it. */
export interface RecordedHold {
  /** The name that the lock was created with. */
  readonly lock: string;
  /** The parts of its key as one text with colons; '' for the whole lock. */
  readonly key: string;
  /** What `as()` called the caller. */
  readonly label: string | undefined;
  /** How the lock was claimed, such as `read`; '' for a hold that no Bedrock granted. */
  readonly mode: ClaimMode;
  /** The fencing token; 0 without one. */
  readonly token: number;
  /** How it ended; undefined while the lock is held. */
  readonly end: ReleaseEnd | undefined;
  /** In ms; so far, if the lock is still held. */
  readonly heldMs: number;
}

/** What was recorded. */
export interface Recording {
  /** Names of the locks that it knows. */
  readonly locks: readonly string[];
  waits(lock: string): readonly RecordedWait[];
  holds(lock: string): readonly RecordedHold[];
}
