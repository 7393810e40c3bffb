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

/** What a transaction can do. */
export interface Session {
  rows<T>(sql: string, values?: readonly Value[]): Promise<T[]>;
  /** How many rows it changed. @throws DuplicateKeyError */
  change(sql: string, values?: readonly Value[]): Promise<number>;
}

/** Bound on every statement, in ms. A wait for a row ends before, so that the server says why. */
const STATEMENT_MS = 5_000;
const SETTINGS = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'SET SESSION innodb_lock_wait_timeout = 2',
];
/** One of two transactions that wait for each other is undone, and may succeed when it is alone. */
const TRIES = 4;
const DEAD_LOCK = 'ER_LOCK_DEADLOCK';
const DUPLICATE_KEY = 'ER_DUP_ENTRY';
/** A snapshot is one only where reading can be repeated. */
const SNAPSHOT = [
  'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
];
/** As many as take turns at the rows of some goods; the others wait in this process. */
const CONNECTIONS = 20;

/** A database of a service: made at the start where it is missing. */
export class Database {
  readonly #pool: Pool;
  /** Connections that have the settings of this service. */
  readonly #set = new WeakSet<object>();

  /**
   * Makes the database and its tables.
   * @param server its path is not read
   * @throws DatabaseError when the server does not answer
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
   * Runs `work` in one transaction, again where a dead-lock undid it.
   * @throws what `work` throws, DatabaseError; after that of a commit, whether it happened is not known
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

  /** Everything that `work` reads is of one moment. */
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
