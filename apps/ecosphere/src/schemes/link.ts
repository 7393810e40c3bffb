import type { PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { reasonOf } from '../report/reason-of.js';
import { ServerError } from '../server/server.error.js';

type Value = string | number;

/** Time limit of a statement, whatever the server does, in ms. */
const STATEMENT_MS = 20_000;

/** One connection to the database, exclusive to a request. */
export class Link {
  constructor(
    private readonly connection: PoolConnection,
    private readonly statementMs: number = STATEMENT_MS,
  ) {}

  /** @throws ServerError if the server is gone; the server's own errors as mysql2 reports them */
  async rows<R extends object>(sql: string, values: readonly Value[] = []): Promise<readonly R[]> {
    const [rows] = await this.#answered(this.connection.execute<(R & RowDataPacket)[]>(sql, [...values]));
    return rows;
  }

  /** The number of changed rows, and the number of the inserted row. @throws as {@link rows} */
  async change(
    sql: string,
    values: readonly Value[] = [],
  ): Promise<Pick<ResultSetHeader, 'affectedRows' | 'insertId'>> {
    const [header] = await this.#answered(this.connection.execute<ResultSetHeader>(sql, [...values]));
    return header;
  }

  /** For statements without values, some of which cannot be prepared. @throws as {@link rows} */
  async command(sql: string): Promise<void> {
    await this.#answered(this.connection.query(sql));
  }

  /** Distinguishes an answer of the server, which has a SQL state, from its silence. */
  async #answered<T>(call: Promise<T>): Promise<T> {
    try {
      return await within(this.statementMs, call);
    } catch (error) {
      if (error instanceof Error && 'sqlState' in error && error.sqlState !== undefined) throw error;
      throw new ServerError(`the database no longer answers: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** Limits the time of a call. The client's own timer would keep the process after the connection has ended. */
async function within<T>(ms: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
