import type { RecordRef, RecordStart, RecordView } from '../../../core/ports/records.js';

/** A record that is to be made. */
export interface RecordInsert extends Omit<RecordStart, 'leaseMs' | 'notAfter'> {
  /** Life by the database's clock, µs. */
  readonly lifeUs: number;
  /** The database's time, epoch µs, after which nothing is made. */
  readonly notAfterUs: number;
}

/**
 * The rows of records in a database. Every method is one atomic statement by primary key, unless it
 * says otherwise; the database's clock alone decides when a record is over. Deadlocks and
 * serialization failures do not surface; any other failure is a `BackendUnavailableError`.
 * `deadline` is the local monotonic time, ms, at which a method is settled at the latest.
 */
export interface RecordTable {
  /**
   * Makes the record in one atomic step. It does so if there is none, if it is over, or if it is
   * this owner's and in flight. Otherwise it answers the present record, which may take one
   * statement more. Undefined: nothing was done, since it is too late, or since the record in the
   * way is gone.
   */
  begin(start: RecordInsert, deadline: number): Promise<'made' | RecordView | undefined>;
  /** Whether the record was this owner's, in flight and not over: then its life begins anew. */
  renew(ref: RecordRef, lifeUs: number, deadline: number): Promise<boolean>;
  /** Whether this owner's record has the value now. A record that had it before keeps its end. */
  complete(ref: RecordRef, value: string, lifeUs: number, deadline: number): Promise<boolean>;
  /** Whether this owner's record was removed, in flight and not over. */
  abandon(ref: RecordRef, deadline: number): Promise<boolean>;
  read(resource: string, deadline: number): Promise<RecordView | undefined>;
  /** Whether a record that had not ended was removed. */
  remove(resource: string, deadline: number): Promise<boolean>;
  /**
   * Removes records that are over, as many as `limit`, the oldest first; answers how many were looked at. It may be two
   * statements, none of which waits behind a record in use for longer than for a row lock.
   */
  sweep(limit: number, deadline: number): Promise<number>;
}
