import { randomUuid } from '../../../core/clock.js';
import type { Backend } from '../../../core/ports/ports.js';
import { ClockOffset } from '../../kit/clock-offset.js';
import { Suspicion } from '../../kit/suspicion.js';
import { LinkPool } from '../connection/link-pool.js';
import { SqlBackend } from '../sql-backend.js';
import { NotificationListener } from './notification-listener.js';
import { tableNames } from './names.js';
import { PgLinkFactory } from './pg-link.js';
import { resolvePostgresOptions, type PostgresOptions, type PostgresSettings } from './postgres-options.js';
import { PostgresRecordTable } from './postgres-record-table.js';
import { PostgresLockTable } from './postgres-lock-table.js';
import { createTables, isCreatedConcurrently } from './schema.js';

const BACKEND = 'postgres';

/** Locks and records as rows of tables in PostgreSQL. */
export interface PostgresBackend extends Backend {
  /** Makes the tables where they are missing; needs the right to create. @throws BackendUnavailableError */
  ensureSchema(): Promise<void>;
}

/**
 * Locks as rows of tables in PostgreSQL (12 or later). The backend opens its own connections on
 * demand: `connections` for statements, and one that receives notifications of free locks. The
 * tables must exist: `ensureSchema()`, or `dist/postgres.sql` of the package.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function postgres(options: string | PostgresOptions): PostgresBackend {
  return new PostgresRowsBackend(resolvePostgresOptions(options));
}

class PostgresRowsBackend extends SqlBackend implements PostgresBackend {
  readonly #pool: LinkPool;
  readonly #settings: PostgresSettings;

  constructor(settings: PostgresSettings) {
    const { clock, operationTimeoutMs, schema, tablePrefix, connections, throughPooler } = settings;
    const processId = randomUuid(clock);
    const clockOffset = new ClockOffset(clock, 'us');
    const links = new PgLinkFactory(settings, operationTimeoutMs, clock);
    const pool = new LinkPool(links, BACKEND, {
      clock,
      size: connections,
      operationTimeoutMs,
      onLost: () => clockOffset.reset(),
    });
    const names = tableNames(schema, tablePrefix);
    const table = new PostgresLockTable(pool, names);
    const records = new PostgresRecordTable(pool, names);
    const suspicion = new Suspicion();
    const { report: onSuspect } = suspicion;
    const listener = new NotificationListener({ links, clock, processId, operationTimeoutMs, onSuspect });
    super({
      name: BACKEND,
      ...{ settings, processId, pool, table, records, clockOffset, suspicion },
      ...(!throughPooler && { wakeSource: listener }),
    });
    this.#pool = pool;
    this.#settings = settings;
  }

  async ensureSchema(): Promise<void> {
    const { schema, tablePrefix, operationTimeoutMs, clock } = this.#settings;
    for (const text of createTables(tableNames(schema, tablePrefix))) {
      const create = () => this.#pool.run({ name: '', text, values: [] }, clock.now() + operationTimeoutMs);
      await create().catch((error: unknown) => {
        if (!isCreatedConcurrently(error)) throw error;
        return create();
      });
    }
  }
}
