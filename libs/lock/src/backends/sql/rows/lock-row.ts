/** What the table `bedrock_locks` keeps of a resource. Times are whole µs since 1970 by the database's clock. */
export interface LockRow {
  readonly resource: string;
  /** Changes with every change of the row, and never comes back, also when the row was removed and made again. */
  readonly version: number;
  /** Claim id of the one exclusive grant; '' when there is none. */
  readonly holder: string;
  /** End of that grant. It may lie in the past: then the grant has ended. */
  readonly untilUs: number;
  readonly units: number;
  readonly depth: number;
  readonly revoked: boolean;
  /** The last fencing token that was given. */
  readonly token: number;
  /** All that the row has of grants and of waiters is over then, µs; perhaps earlier. */
  readonly endsUs: number;
  /** Grants that are held beside each other, as JSON; null when there are none. */
  readonly crowd: string | null;
  /** The waiters, in order, as JSON; null when there are none. The format is that of `row-format.ts`. */
  readonly line: string | null;
}

/** A row, and when it was read; undefined where the resource has no row. */
export interface RowSnapshot {
  /** The database's time after the row was locked or read. */
  readonly nowUs: number;
  readonly row: LockRow | undefined;
}

/** Shown a while after their last sign, and removed with the process. */
export interface ProcessRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly label: string | null;
}
