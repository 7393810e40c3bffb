/** A row of an answer, by column name. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** What a client library answers, as far as it is used. */
export interface SqlResult {
  /** Rows by column name; empty for a statement that gives none. */
  readonly rows: readonly ResultRow[];
  /** Rows that were found by the condition of a change. */
  readonly affected: number;
  /** `LAST_INSERT_ID(expression)` of MySQL; 0 elsewhere. */
  readonly insertId: number;
}

/** One connection of the backend's own. Only one statement is in flight on it. */
export interface SqlLink {
  /** Rejects with the error of the client library. */
  query(statement: Statement): Promise<SqlResult>;
  /** Drops the socket in whatever state it is. Never throws. */
  destroy(): void;
  /** The connection has ended by itself; called at most once, and not after `destroy`. */
  onEnd(listener: () => void): void;
}

export interface Statement {
  /** Under which a connection may keep the prepared statement; '' for one that is not kept. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Opens connections that are ready: session settings made, bounded waits for row locks. */
export interface SqlLinkFactory {
  /** Rejects with the error of the client library; gives up by itself within `timeoutMs`. */
  open(timeoutMs: number): Promise<SqlLink>;
  /**
   * The meaning of an error. `again`: deadlock or serialization failure, nothing was done and it is worth trying again;
   * `no`: the server refused, nothing was done; `unknown`: it may have been done.
   */
  classify(error: unknown): 'again' | 'no' | 'unknown';
  /** What to do about an error, where its own text does not say. */
  adviceOn?(error: unknown): string | undefined;
  /** Whether the connection can serve on after the error: the server has answered. */
  isUsableAfter(error: unknown): boolean;
}
