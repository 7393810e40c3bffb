import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, type Notification, type QueryConfig } from 'pg';
import type { Clock } from '../../../core/clock.js';
import type { SqlResult, SqlLink, SqlLinkFactory, Statement } from '../connection/link.js';
import { LATE } from './lock-statements.js';

/** Deadlocks, serialization failures and late statements: nothing was done, and a retry helps. */
const AGAIN: ReadonlySet<string> = new Set(['40001', '40P01', LATE]);
/** The server is no longer the primary: another connection may lead to the primary. */
const READ_ONLY = '25006';
const NO_TABLE = '42P01';

/** Errors of the server have a code of five characters, those of the system (`EPIPE`) have one without digits. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** With these the server ends the connection, or knows itself no more. */
const FINAL = /^(?:08|57P|25P0[34]|XX)/;

/** First statement of a connection. A row wait lasts no longer than a call, and the server ends late statements. */
const SETTINGS = `SELECT set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', $1, false), set_config('lock_timeout', $1, false),
  set_config('plan_cache_mode', 'force_generic_plan', false), set_config('jit', 'off', false),
  CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END`;

export interface PgLocation {
  readonly connection: ClientConfig;
  /** Connections are shared with others from statement to statement: nothing is kept on them. */
  readonly throughPooler: boolean;
}

/** Connections to PostgreSQL. */
export class PgLinkFactory implements SqlLinkFactory {
  readonly #location: PgLocation;

  constructor(
    location: PgLocation,
    private readonly operationTimeoutMs: number,
    private readonly clock: Clock,
  ) {
    this.#location = location;
  }

  async open(timeoutMs: number): Promise<PgLink> {
    const { connection, throughPooler } = this.#location;
    const link = new PgLink(connection, timeoutMs, !throughPooler);
    const timer = this.clock.setTimer(() => link.destroy(), timeoutMs);
    try {
      await link.connect();
      if (!throughPooler) await link.execute(SETTINGS, [String(this.operationTimeoutMs)]);
      return link;
    } catch (error) {
      link.destroy();
      throw error;
    } finally {
      this.clock.clearTimer(timer);
    }
  }

  classify(error: unknown): 'again' | 'no' | 'unknown' {
    if (AGAIN.has(codeOf(error))) return 'again';
    return isServerError(error) ? 'no' : 'unknown';
  }

  adviceOn(error: unknown): string | undefined {
    return codeOf(error) === NO_TABLE
      ? 'make the tables with ensureSchema() or dist/postgres.sql of the package'
      : undefined;
  }

  isUsableAfter(error: unknown): boolean {
    return isServerError(error) && codeOf(error) !== READ_ONLY;
  }
}

/** One connection through the client library, with a socket that can be dropped in whatever state it is. */
export class PgLink implements SqlLink {
  readonly #client: Client;
  readonly #stream: Duplex;
  #isDestroyed = false;

  constructor(
    connection: ClientConfig,
    timeoutMs: number,
    private readonly isPreparing: boolean,
  ) {
    const stream = connection.stream?.() ?? new Socket();
    this.#stream = stream;
    this.#client = new Client({ ...connection, connectionTimeoutMillis: timeoutMs, stream: () => stream });
    // Reported by `end`, and by the query that was in flight.
    this.#client.on('error', () => undefined);
  }

  async connect(): Promise<void> {
    await this.#client.connect();
  }

  /** A statement that is not counted. */
  async execute(text: string, values: unknown[] = []): Promise<void> {
    await this.#client.query(text, values);
  }

  query({ name, text, values }: Statement): Promise<SqlResult> {
    const config: QueryConfig = this.isPreparing && name !== '' ? { name, text } : { text };
    // The client never writes into it.
    config.values = values as unknown[];
    return new Promise((resolve, reject) => {
      this.#client.query<Record<string, unknown>>(config, (error: Error | null, result) => {
        if (error) reject(error);
        else resolve({ rows: result.rows, affected: result.rowCount ?? 0, insertId: 0 });
      });
    });
  }

  onNotification(listener: (channel: string, message: string) => void): void {
    this.#client.on('notification', ({ channel, payload = '' }: Notification) => listener(channel, payload));
  }

  onEnd(listener: () => void): void {
    this.#client.once('end', () => {
      if (!this.#isDestroyed) listener();
    });
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#stream.destroy();
  }
}

/** The server has answered, has undone what the statement did, and goes on to serve the connection. */
function isServerError(error: unknown): boolean {
  const code = codeOf(error);
  return SQLSTATE.test(code) && !FINAL.test(code);
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
