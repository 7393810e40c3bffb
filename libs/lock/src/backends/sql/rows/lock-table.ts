import type { WithdrawOutcome } from '../../../core/claim.js';
import type { RowSnapshot, LockRow, ProcessRow } from './lock-row.js';

/** Wants a grant: the whole of a resource, unless the table decides all shapes. */
export interface RowAcquire {
  readonly resource: string;
  readonly id: string;
  readonly processId: string;
  readonly isShared: boolean;
  readonly capacity: number;
  /** Wait in the queue when refused: only for those tables that decide all. */
  readonly queue: boolean;
  /** What waits in the queue for it: its own id, or that of the process. */
  readonly key: string;
  readonly units: number;
  /** Life of the grant, µs. */
  readonly lifeUs: number;
  /** Fencing tokens to reserve. */
  readonly tokens: number;
  /** Nothing is granted later than this, by the database's clock. */
  readonly notAfterUs: number;
}

/** Gives a grant back. */
export interface RowRelease {
  readonly resource: string;
  readonly id: string;
  /** It may be one of several. */
  readonly isShared: boolean;
  /** Keep it so much longer, µs, but not longer than it would have lasted; 0 ends it now. */
  readonly keepUs: number;
  /** The waiter with this text in the queue leaves it too; '' for none. */
  readonly leavingKey: string;
}

/** Renews an exclusive grant. */
export interface RowRenewal {
  readonly resource: string;
  readonly id: string;
  readonly lifeUs: number;
}

/** The row as it is to be, if it is still of the version that was read. */
export interface RowUpdate {
  readonly expectedVersion: number;
  /** `version` is left out: the table counts on. */
  readonly row: Omit<LockRow, 'version'>;
  /** Nothing is changed later than this, by the database's clock. */
  readonly notAfterUs: number;
  /** Told with the change, by those tables that can tell. */
  readonly notifications: readonly RowNotification[];
}

/** A word to a process, or to all of them. */
export interface RowNotification {
  readonly kind: 'wake' | 'suspect';
  readonly resource: string;
  /** Undefined: to all processes. */
  readonly processId?: string | undefined;
  /** The claim that it is for, where it is for one alone. */
  readonly claimId?: string | undefined;
}

/** `firstToken`: 0 when none was asked for. */
export interface RowAcquired {
  readonly done: true;
  readonly firstToken: number;
  /** The database's time, where there was room for it in the answer. */
  readonly nowUs?: number;
}

/** A refusal that needs nothing more: the entry in the queue is written. */
export interface RowRefused {
  readonly done: true;
  readonly refused: LockRow;
  readonly nowUs: number;
}

export interface RowReleased {
  readonly done: true;
  /** The database's time, where there was room for it in the answer. */
  readonly nowUs?: number;
  /** @default 'released' */
  readonly outcome?: WithdrawOutcome;
}

export interface RowUnchanged extends RowSnapshot {
  readonly done: false;
}

export interface RowsSnapshot {
  readonly nowUs: number;
  readonly rows: readonly LockRow[];
}

/** Names from `from` on that come after `after` and before `end`. */
export interface NameRange {
  readonly from: string;
  readonly after: string;
  readonly end: string;
}

/**
 * The rows of locks in a database. Every method is one atomic statement in READ COMMITTED for each
 * row that it changes, by primary key. A claim that is late by the database's clock when it gets
 * the row is not granted. No method waits for anything but row locks. Deadlocks and serialization
 * failures do not surface; any other failure is a `BackendUnavailableError`. `deadline` is the
 * local monotonic time, ms, at which a method is settled at the latest.
 */
export interface LockTable {
  /**
   * `acquire` and `release` decide everything by themselves, as `RowState` does: all shapes, the
   * queue and its wakes. Otherwise they do only the steps described below, and leave the rest to
   * `read` and `compareAndSet`. With those, many concurrent processes get in each other's way.
   */
  readonly decidesAll?: boolean;

  /** Makes the rows that are missing, outside of any transaction: `version` = now in µs, free, `token` 0. */
  create(resources: readonly string[], deadline: number): Promise<void>;

  /**
   * Grants when now <= `notAfterUs`, `crowd` is null, and one of two conditions holds.
   * Either `holder` = `id`, unrevoked and not ended. This is a repeat: the end moves to the later
   * one; depth and `line` stay.
   * Or there is no holder or an ended one, and `line` is null or its first entry has the key `key`.
   * That entry leaves `line`.
   * `endsUs` becomes the later of the end and, where a waiter is left, now + 1 s. Tokens: `token` =
   * max(`token`, now) + `tokens`, when some are wanted; the first of them is answered. A new grant
   * has depth 1 and is not revoked. Not done: the row stays as it was, and is answered. It is
   * undefined where there is none, unless the table makes the row with the grant in one statement.
   */
  acquire(request: RowAcquire, deadline: number): Promise<RowAcquired | RowRefused | RowUnchanged>;

  /**
   * Ends (or shortens) the grant when `holder` = `id`, it has not ended, and `line` does not
   * contain `leavingKey`. The first entry of `line`, if there is one, must have been seen within
   * the last second. With an end now, tables that can do so wake that entry. `endsUs` as for
   * `acquire`. Not done: the row stays as it was, and is answered.
   */
  release(request: RowRelease, deadline: number): Promise<RowReleased | RowUnchanged>;

  /**
   * Moves the end of each grant whose `holder` = `id`, unrevoked and not ended, to the later of the
   * two. `endsUs` moves with it. True for those; the others are decided from their rows. One
   * statement for all, rows in the order of their names.
   */
  renew(renewals: readonly RowRenewal[], deadline: number): Promise<readonly boolean[]>;

  /**
   * The rows as they are; those that do not exist are left out. One statement.
   * @param isUrgent it goes before others that wait for a connection, as `renew` does
   */
  read(resources: readonly string[], deadline: number, isUrgent?: boolean): Promise<RowsSnapshot>;

  /** At most `limit` rows of these names that are not over, in the order of the bytes of their names. One statement. */
  list(names: NameRange, limit: number, deadline: number): Promise<RowsSnapshot>;

  /** Makes the change when the row has the version that was seen, and now <= `notAfterUs`; whether it did. */
  compareAndSet(update: RowUpdate, deadline: number, isUrgent?: boolean): Promise<boolean>;

  /**
   * Removes those rows that are over (`endsUs`), and whose token and version lie in the past, so
   * that neither comes back. Answers which are there no more.
   */
  remove(resources: readonly string[], deadline: number): Promise<readonly string[]>;

  /**
   * Removes what dead processes have left: rows of locks that are over since `idleUs`, as many as `limit`, and rows of
   * processes without a sign for so long.
   */
  sweep(idleUs: number, limit: number, deadline: number): Promise<void>;

  /** Writes or refreshes the row of a process. */
  register(process: ProcessRow, deadline: number): Promise<void>;
  unregister(processId: string, deadline: number): Promise<void>;
  processes(ids: readonly string[], deadline: number): Promise<readonly ProcessRow[]>;
  /** All with a sign within `idleUs`. */
  livingProcesses(idleUs: number, deadline: number): Promise<readonly ProcessRow[]>;
}
