import {
  createConnection,
  createPool,
  type Pool,
  type PoolConnection,
  type RowDataPacket,
} from 'mysql2/promise';
import { DatabaseError } from './database.error.js';
import { DuplicateKeyError } from './duplicate-key.error.js';

type Value = string | number | null;

/** Operations of a transaction. */
export interface Session {
  rows<T>(sql: string, values?: readonly Value[]): Promise<T[]>;
  /** Returns the number of changed rows. @throws DuplicateKeyError */
  change(sql: string, values?: readonly Value[]): Promise<number>;
}

/** Time limit of every statement, in ms. A wait for a row ends earlier, so that the server reports the reason. */
const STATEMENT_MS = 5_000;
const SETTINGS = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'SET SESSION innodb_lock_wait_timeout = 2',
];
/** The database rolls back one of two deadlocked transactions, which may succeed when repeated. */
const TRIES = 4;
const DEAD_LOCK = 'ER_LOCK_DEADLOCK';
const DUPLICATE_KEY = 'ER_DUP_ENTRY';
/** A snapshot needs repeatable reads. */
const SNAPSHOT = [
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
];
/** As many connections as can take turns at the rows of some goods; further callers wait in this process. */
const CONNECTIONS = 20;

/** A database of a service, created at the start if it is missing. */
export class Database {
  readonly #pool: Pool;
  /** Connections that already have the settings of this service. */
  readonly #set = new WeakSet<object>();

  /**
   * Creates the database and its tables.
   * @param server its path is ignored
   * @throws DatabaseError if the server does not answer
   */
  static async open(server: URL, name: string, schema: readonly string[]): Promise<Database> {
    try {
      const uri = uriOf(server, '');
      const connection = await createConnection({ uri, connectTimeout: STATEMENT_MS });
      await connection.query(`CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4`);
      await connection.end();
    } catch (error) {
      throw new DatabaseError(error);
    }
    const database = new Database(uriOf(server, name));
    try {
      for (const table of schema) await database.transaction((session) => session.change(table));
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private constructor(uri: string) {
    this.#pool = createPool({
      uri,
      connectionLimit: CONNECTIONS,
      connectTimeout: STATEMENT_MS,
      timezone: 'Z',
      charset: 'utf8mb4',
      supportBigNumbers: true,
    });
  }

  /**
   * Runs `work` in one transaction, and repeats it after a deadlock.
   * @throws the error of `work`, or DatabaseError; after a DatabaseError of the commit, the outcome is unknown
   */
  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#attempt(['START TRANSACTION'], work);
      } catch (error) {
        if (!(error instanceof DatabaseError) || codeOf(error.cause) !== DEAD_LOCK || tries === TRIES)
          throw error;
      }
    }
  }

  /** All reads of `work` are from one moment. */
  snapshot<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#attempt(SNAPSHOT, work);
  }

  /** @throws DatabaseError */
  async ping(): Promise<void> {
    await this.#attempt(['START TRANSACTION READ ONLY'], (session) => session.rows('SELECT 1'));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #attempt<T>(begin: readonly string[], work: (session: Session) => Promise<T>): Promise<T> {
    const connection = await this.#pool.getConnection().catch((error: unknown) => {
      throw new DatabaseError(error);
    });
    const session = sessionOn(connection);
    try {
      if (!this.#set.has(connection.connection)) {
        for (const statement of SETTINGS) await session.change(statement);
        this.#set.add(connection.connection);
      }
      for (const statement of begin) await session.change(statement);
      const result = await work(session);
      await session.change('COMMIT');
      connection.release();
      return result;
    } catch (error) {
      await session.change('ROLLBACK').then(
        () => connection.release(),
        () => connection.destroy(),
      );
      throw error;
    }
  }
}

function sessionOn(connection: PoolConnection): Session {
  return {
    async rows<T>(sql: string, values: readonly Value[] = []): Promise<T[]> {
      const [rows] = await ask(
        connection.query<RowDataPacket[]>({ sql, timeout: STATEMENT_MS }, [...values]),
      );
      return rows as T[];
    },
    async change(sql, values = []) {
      const [result] = await ask(connection.query({ sql, timeout: STATEMENT_MS }, [...values]));
      return (result as { readonly affectedRows?: number }).affectedRows ?? 0;
    },
  };
}

async function ask<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw codeOf(error) === DUPLICATE_KEY ? new DuplicateKeyError(error) : new DatabaseError(error);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string } | undefined)?.code;
}

function uriOf(server: URL, name: string): string {
  const uri = new URL(server);
  uri.pathname = `/${name}`;
  return uri.href;
}
