import type { Backend } from 'bedrock-lock';
import type { Verdict } from 'bedrock-lock/backend';
import {
  mysql,
  mysqlSessions,
  type MysqlBackend,
  type MysqlOptions,
  type MysqlSessionOptions,
} from 'bedrock-lock/mysql';
import { startMariadb, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { OPERATION_TIMEOUT_MS } from '../../../../contract/times.js';

/** A server of its own, an observer that looks at it, and backends that are closed after each test. */
export class MysqlFixture {
  server!: RunningServer;
  #observer: Connection | undefined;
  readonly #backends: Backend[] = [];

  async start(...args: Parameters<typeof startMariadb>): Promise<void> {
    this.server = await startMariadb(...args);
    await this.observe();
  }

  /** A new observer: the old one ends with its server. */
  async observe(): Promise<void> {
    this.#observer?.destroy();
    this.#observer = await createConnection({ uri: this.server.url });
    this.#observer.on('error', () => undefined);
  }

  async stop(): Promise<void> {
    this.#observer?.destroy();
    await this.server.stop();
  }

  /** The backend has written who it is, which it does beside its first claim, on a connection that it has to open. */
  async registered({ processId }: Backend): Promise<void> {
    await eventually('it is registered', async () => {
      const rows = await this.rows('SELECT 1 FROM bedrock_processes WHERE id = ?', [processId]);
      return rows.length === 1;
    });
  }

  /** A connection of a user's. */
  connection(): Promise<Connection> {
    return createConnection({ uri: this.server.url });
  }

  async rows(sql: string, values: readonly (string | number)[] = []): Promise<RowDataPacket[]> {
    const [rows] = await this.#observer!.query<RowDataPacket[]>(sql, [...values]);
    return rows;
  }

  /** A backend that serves, with its tables. */
  async backend(options: MysqlOptions = {}): Promise<MysqlBackend> {
    const backend = this.unready(options);
    await backend.ensureSchema();
    await backend.ready();
    return backend;
  }

  unready(options: MysqlOptions = {}): MysqlBackend {
    const backend = mysql({ operationTimeoutMs: OPERATION_TIMEOUT_MS, ...this.#where(options), ...options });
    this.#backends.push(backend);
    return backend;
  }

  sessions(options: MysqlSessionOptions = {}): Backend {
    const backend = mysqlSessions({
      operationTimeoutMs: OPERATION_TIMEOUT_MS,
      ...this.#where(options),
      ...options,
    });
    this.#backends.push(backend);
    return backend;
  }

  async clean(): Promise<void> {
    await Promise.all(this.#backends.splice(0).map((backend) => backend.close()));
  }

  #where({ url, connection }: MysqlOptions): MysqlOptions {
    return url === undefined && connection === undefined ? { url: this.server.url } : {};
  }
}

export function holderOf(verdict: Verdict): string | undefined {
  return verdict.kind === 'refused' ? verdict.holder?.id : undefined;
}
