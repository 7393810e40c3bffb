import { randomUuid } from '../../../core/clock.js';
import type { Backend } from '../../../core/ports/ports.js';
import { DatabaseTime } from '../connection/database-time.js';
import { LinkPool } from '../connection/link-pool.js';
import { SqlBackend } from '../sql-backend.js';
import { Listener } from './listener.js';
import { tableNames } from './names.js';
import { PgLinks } from './pg-link.js';
import { resolvePostgresOptions, type PostgresOptions, type PostgresTerms } from './postgres-options.js';
import { PostgresRecordTable } from './postgres-record-table.js';
import { PostgresTable } from './postgres-table.js';
import { createTables, isMadeByOthers } from './schema.js';

const BACKEND = 'postgres';

/** Locks and records as rows of tables in PostgreSQL. */
export interface PostgresBackend extends Backend {
  /** Makes the tables where they are missing; whoever runs it needs the right to create. @throws BackendUnavailableError */
  ensureSchema(): Promise<void>;
}

/**
 * Locks as rows of tables in PostgreSQL (12 or later). Connections of its own are opened when they are needed: `connections` for
 * statements, and one that is told when a lock is free. The tables have to be there: `ensureSchema()`, or `migration.sql`.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function postgres(options: string | PostgresOptions): PostgresBackend {
  return new RowsBackend(resolvePostgresOptions(options));
}

class RowsBackend extends SqlBackend implements PostgresBackend {
  readonly #pool: LinkPool;
  readonly #terms: PostgresTerms;

  constructor(terms: PostgresTerms) {
    const { clock, operationTimeoutMs, schema, tablePrefix, connections, throughPooler } = terms;
    const processId = randomUuid(clock);
    const time = new DatabaseTime(clock);
    const links = new PgLinks(terms, operationTimeoutMs, clock);
    const pool = new LinkPool(links, BACKEND, {
      clock,
      size: connections,
      operationTimeoutMs,
      onLost: () => time.forget(),
    });
    const names = tableNames(schema, tablePrefix);
    const table = new PostgresTable(pool, names);
    const records = new PostgresRecordTable(pool, names);
    const onSuspect = (resource: string | undefined): void => this.doubt(resource);
    const listener = new Listener({ links, clock, processId, operationTimeoutMs, onSuspect });
    super({
      name: BACKEND,
      ...{ terms, processId, pool, table, records, time },
      ...(!throughPooler && { wakes: listener }),
    });
    this.#pool = pool;
    this.#terms = terms;
  }

  async ensureSchema(): Promise<void> {
    const { schema, tablePrefix, operationTimeoutMs, clock } = this.#terms;
    for (const text of createTables(tableNames(schema, tablePrefix))) {
      const create = () => this.#pool.run({ name: '', text, values: [] }, clock.now() + operationTimeoutMs);
      await create().catch((error: unknown) => {
        if (!isMadeByOthers(error)) throw error;
        return create();
      });
    }
  }
}
