import { randomUuid } from '../../../core/clock.js';
import type { Backend } from '../../../core/ports/ports.js';
import { ClockOffset } from '../../kit/clock-offset.js';
import { Suspicion } from '../../kit/suspicion.js';
import { LinkPool } from '../connection/link-pool.js';
import { SqlBackend } from '../sql-backend.js';
import { BACKEND } from './connection/failures.js';
import { MysqlLockStatements } from './locks/lock-statements.js';
import { MysqlLinkFactory } from './connection/mysql-link-factory.js';
import { MysqlLockTable } from './locks/mysql-lock-table.js';
import { MysqlRecordTable } from './records/mysql-record-table.js';
import { resolveMysqlOptions, type MysqlOptions, type MysqlSettings } from './mysql-options.js';
import { RowPoller } from './locks/row-poller.js';
import { schemaOf, tableNamesOf } from './locks/tables.js';

/**
 * Other sessions that use the tables are waited for, when one of them is to be made: so many times
 * `operationTimeoutMs`.
 */
const SCHEMA_TIMEOUTS = 5;

/** Locks and records as rows of tables in MySQL or MariaDB. */
export interface MysqlBackend extends Backend {
  /** Makes the tables where they are missing; needs the right to create. @throws BackendUnavailableError */
  ensureSchema(): Promise<void>;
}

/**
 * Locks as rows of tables in MySQL (8.0 or later) or MariaDB (10.6 or later). Connections of its
 * own are opened when they are needed. The tables have to be there: `ensureSchema()`, or
 * `dist/mysql.sql` of the package.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function mysql(options: string | MysqlOptions): MysqlBackend {
  return new MysqlRowsBackend(resolveMysqlOptions(options));
}

class MysqlRowsBackend extends SqlBackend implements MysqlBackend {
  readonly #pool: LinkPool;
  readonly #settings: MysqlSettings;

  constructor(settings: MysqlSettings) {
    const { clock, connection, connections, operationTimeoutMs, tablePrefix } = settings;
    const processId = randomUuid(clock);
    const clockOffset = new ClockOffset(clock, 'us');
    const pool = new LinkPool(new MysqlLinkFactory(connection, clock), BACKEND, {
      clock,
      size: connections,
      operationTimeoutMs,
      onLost: () => clockOffset.reset(),
    });
    const suspicion = new Suspicion();
    const poller: RowPoller = new RowPoller({
      ...{ clock, processId, operationTimeoutMs },
      read: (resources, deadline) => table.read(resources, deadline),
      onSuspect: suspicion.report,
    });
    const tables = tableNamesOf(tablePrefix);
    const statements = new MysqlLockStatements(tables);
    const table = new MysqlLockTable({ pool, statements, poller });
    const records = new MysqlRecordTable(pool, tables, clock);
    super({
      name: BACKEND,
      ...{ settings, processId, pool, table, records, clockOffset, suspicion },
      wakeSource: poller,
    });
    this.#pool = pool;
    this.#settings = settings;
  }

  async ensureSchema(): Promise<void> {
    const { clock, operationTimeoutMs, tablePrefix } = this.#settings;
    const deadline = clock.now() + operationTimeoutMs * SCHEMA_TIMEOUTS;
    for (const text of schemaOf(tableNamesOf(tablePrefix)))
      await this.#pool.run({ name: '', text, values: [] }, deadline);
  }
}
