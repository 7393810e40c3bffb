import { atMost, type Clock } from '../../../../core/clock.js';
import { BackendUnavailableError } from '../../../../core/errors.js';
import type { SqlLinkFactory } from '../../connection/link.js';
import { connectMysql, type ConnectionOptions } from './client.js';
import { isReadOnly, isServerError, isTableMissing, isRetryable, noAnswer } from './failures.js';
import { MysqlLink } from './link.js';

/**
 * Settings of every connection. Times are in UTC. A statement waits for a locked row for at most a
 * second (the server counts in whole seconds). So it ends about when its caller has given up.
 */
const SESSION = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES', autocommit = 1, innodb_lock_wait_timeout = 1, lock_wait_timeout = 1",
];

/** Connections of mysql2, with sessions as Bedrock needs them. */
export class MysqlLinkFactory implements SqlLinkFactory {
  readonly #connection: ConnectionOptions;

  constructor(
    connection: ConnectionOptions,
    private readonly clock: Clock,
    /** More statements for each new connection. */
    private readonly session: readonly string[] = [],
  ) {
    this.#connection = connection;
  }

  async open(timeoutMs: number): Promise<MysqlLink> {
    const link = new MysqlLink(
      await connectMysql({ ...this.#connection, connectTimeout: Math.ceil(timeoutMs) }),
    );
    try {
      // The first of them waits for the connection.
      const ready = Promise.all(
        [...SESSION, ...this.session].map((text) => link.query({ name: '', text, values: [] })),
      );
      if ((await atMost(this.clock, timeoutMs, ready)) === undefined) throw noAnswer('no connection in time');
      return link;
    } catch (error) {
      link.destroy();
      throw error;
    }
  }

  classify(error: unknown): 'again' | 'no' | 'unknown' {
    if (isRetryable(error)) return 'again';
    if (error instanceof BackendUnavailableError) return error.executed === 'no' ? 'no' : 'unknown';
    return isServerError(error) ? 'no' : 'unknown';
  }

  isUsableAfter(error: unknown): boolean {
    return isServerError(error) && !isReadOnly(error);
  }

  adviceOn(error: unknown): string | undefined {
    return isTableMissing(error) ? 'call ensureSchema(), or run the migration' : undefined;
  }
}
