import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import { reasonOf } from '../report/reason-of.js';
import { ServerError } from '../server/server.error.js';
import { Link } from './link.js';

/** Error numbers of MySQL and MariaDB: two rows with one unique key; two transactions that wait for each other. */
const DUPLICATE = 1062;
const DEADLOCK = 1213;

/** Longest wait for a row, in s, should a server not detect deadlocks. */
const ROW_WAIT_S = 10;

/** The database of the business: transactions, and one connection per concurrent request. */
@Injectable()
export class Database implements OnModuleDestroy {
  readonly #pool: Pool;

  /** @param statementMs longest wait for the answer to a statement */
  constructor(
    uri: string,
    private readonly connections: number,
    private readonly statementMs?: number,
  ) {
    this.#pool = createPool({ uri, connectionLimit: connections });
  }

  /** Opens all connections, so that no request waits for a connection while the others finish. @throws ServerError */
  async open(): Promise<void> {
    const opened = Array.from({ length: this.connections }, () => this.#connection());
    try {
      for (const connection of await Promise.all(opened)) {
        await new Link(connection).command(`set session innodb_lock_wait_timeout = ${ROW_WAIT_S}`);
      }
    } finally {
      for (const one of await Promise.allSettled(opened)) {
        if (one.status === 'fulfilled') one.value.release();
      }
    }
  }

  /** Gives `work` a connection of its own; every statement commits at once. */
  async session<T>(work: (link: Link) => Promise<T>): Promise<T> {
    const connection = await this.#connection();
    try {
      const result = await work(new Link(connection, this.statementMs));
      connection.release();
      return result;
    } catch (error) {
      // A late effect of a silent server must not become part of the next transaction.
      if (error instanceof ServerError) connection.destroy();
      else connection.release();
      throw error;
    }
  }

  /** Gives `work` a transaction: it commits when `work` ends, and rolls back when `work` throws. */
  transaction<T>(work: (link: Link) => Promise<T>): Promise<T> {
    return this.session(async (link) => {
      await link.command('begin');
      try {
        const result = await work(link);
        await link.command('commit');
        return result;
      } catch (error) {
        if (!(error instanceof ServerError)) await link.command('rollback');
        throw error;
      }
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.#pool.end();
  }

  async #connection(): Promise<PoolConnection> {
    try {
      return await this.#pool.getConnection();
    } catch (error) {
      throw new ServerError(`the database provides no connection: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** Whether the database has refused a second row under a unique key. */
export function isDuplicate(error: unknown): boolean {
  return numberOf(error) === DUPLICATE;
}

/** Whether the database has rolled a transaction back because of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return numberOf(error) === DEADLOCK;
}

function numberOf(error: unknown): unknown {
  return error instanceof Error && 'errno' in error ? error.errno : undefined;
}
