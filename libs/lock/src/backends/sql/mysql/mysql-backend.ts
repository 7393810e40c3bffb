import { randomUuid } from '../../../core/clock.js';
import type { Backend } from '../../../core/ports/ports.js';
import { DatabaseTime } from '../connection/database-time.js';
import { LinkPool } from '../connection/link-pool.js';
import { SqlBackend } from '../sql-backend.js';
import { BACKEND } from './connection/failures.js';
import { LockStatements } from './locks/lock-statements.js';
import { MysqlLinks } from './connection/mysql-links.js';
import { MysqlLockTable } from './locks/mysql-lock-table.js';
import { MysqlRecordTable } from './records/mysql-record-table.js';
import { resolveMysqlOptions, type MysqlOptions, type MysqlTerms } from './mysql-options.js';
import { RowWatch } from './locks/row-watch.js';
import { schemaOf, tablesOf } from './locks/tables.js';

/** Other sessions that use the tables are waited for, when one of them is to be made: so many times `operationTimeoutMs`. */
const SCHEMA_PATIENCE = 5;

/** Locks and records as rows of tables in MySQL or MariaDB. */
export interface MysqlBackend extends Backend {
  /** Makes the tables where they are missing; whoever runs it needs the right to create. @throws BackendUnavailableError */
  ensureSchema(): Promise<void>;
}

/**
 * Locks as rows of tables in MySQL (8.0 or later) or MariaDB (10.6 or later). Connections of its own are opened when they are
 * needed. The tables have to be there: `ensureSchema()`, or `migration.sql`.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function mysql(options: string | MysqlOptions): MysqlBackend {
  return new RowsBackend(resolveMysqlOptions(options));
}

class RowsBackend extends SqlBackend implements MysqlBackend {
  readonly #pool: LinkPool;
  readonly #terms: MysqlTerms;

  constructor(terms: MysqlTerms) {
    const { clock, connection, connections, operationTimeoutMs, tablePrefix } = terms;
    const processId = randomUuid(clock);
    const time = new DatabaseTime(clock);
    const pool = new LinkPool(new MysqlLinks(connection, clock), BACKEND, {
      clock,
      size: connections,
      operationTimeoutMs,
      onLost: () => time.forget(),
    });
    const wakes: RowWatch = new RowWatch({
      ...{ clock, processId, operationTimeoutMs },
      read: (resources, by) => table.read(resources, by),
      onSuspect: (resource) => this.doubt(resource),
    });
    const tables = tablesOf(tablePrefix);
    const statements = new LockStatements(tables);
    const table = new MysqlLockTable({ pool, statements, wakes });
    const records = new MysqlRecordTable(pool, tables, clock);
    super({ name: BACKEND, terms, processId, pool, table, records, time, wakes });
    this.#pool = pool;
    this.#terms = terms;
  }

  async ensureSchema(): Promise<void> {
    const { clock, operationTimeoutMs, tablePrefix } = this.#terms;
    const by = clock.now() + operationTimeoutMs * SCHEMA_PATIENCE;
    for (const text of schemaOf(tablesOf(tablePrefix)))
      await this.#pool.run({ name: '', text, values: [] }, by);
  }
}
