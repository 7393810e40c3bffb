/** Where a fault may strike inside an implementation. */
export type Moment =
  /** The first command of the acquisition was executed. */
  | 'afterFirstCommand'
  /** The decision to delete is made, the deletion is about to be sent. */
  | 'beforeDelete';

/** Called at each moment. Its action is the fault: it may pause the flow, delay the wire, or kill the process. */
export type Hook = (moment: Moment) => Promise<void>;

export const noFault: Hook = async () => undefined;

/** A holder's knowledge of its turn. */
export interface Turn {
  /** Fencing token; undefined for a lock without tokens. */
  readonly token: number | undefined;
}

/** What such a lock is made of. */
export interface TrialLockOptions {
  readonly url: string;
  readonly key: string;
  readonly leaseMs: number;
  readonly at: Hook;
}

/**
 * An implementation of a lock in one process: a connection of its own, and the same lock as the others of its trial.
 */
export interface TrialLock {
  /** Runs `body` while the lock is held. @throws NotAdmittedError if it was not granted within `waitMs` */
  run<T>(body: (turn: Turn) => Promise<T>, waitMs: number): Promise<T>;
  close(): Promise<void>;
}
