import type { RecordRef, RecordView } from '../../../core/ports/records.js';
import type { SqlResult } from '../connection/link.js';
import type { LinkPool } from '../connection/link-pool.js';
import type { RecordTable, RecordInsert } from '../records/record-table.js';
import type { PostgresTableNames } from './names.js';
import { recordStatementsFor, type PostgresRecordStatements } from './record-statements.js';

const US = 1_000;

/** The rows of records in PostgreSQL. */
export class PostgresRecordTable implements RecordTable {
  readonly #statements: PostgresRecordStatements;

  constructor(
    private readonly pool: LinkPool,
    names: PostgresTableNames,
  ) {
    this.#statements = recordStatementsFor(names);
  }

  async begin(start: RecordInsert, deadline: number): Promise<'made' | RecordView | undefined> {
    const { resource, owner, fingerprint, lifeUs, notAfterUs } = start;
    const values = [resource, owner, Buffer.from(fingerprint), lifeUs, notAfterUs];
    const [row] = (await this.#run('begin', values, deadline)).rows;
    if (row === undefined) return undefined;
    return row['made'] === true ? 'made' : viewOf(row);
  }

  renew({ resource, owner }: RecordRef, lifeUs: number, deadline: number): Promise<boolean> {
    return this.#did('renew', [resource, owner, lifeUs], deadline);
  }

  complete(
    { resource, owner }: RecordRef,
    value: string,
    lifeUs: number,
    deadline: number,
  ): Promise<boolean> {
    return this.#did('complete', [resource, owner, value, lifeUs], deadline);
  }

  abandon({ resource, owner }: RecordRef, deadline: number): Promise<boolean> {
    return this.#did('abandon', [resource, owner], deadline);
  }

  async read(resource: string, deadline: number): Promise<RecordView | undefined> {
    const { rows } = await this.#run('read', [resource], deadline);
    return rows.map(viewOf)[0];
  }

  remove(resource: string, deadline: number): Promise<boolean> {
    return this.#did('remove', [resource], deadline);
  }

  async sweep(limit: number, deadline: number): Promise<number> {
    return (await this.#run('sweep', [limit], deadline)).affected;
  }

  async #did(
    name: keyof PostgresRecordStatements,
    values: readonly unknown[],
    deadline: number,
  ): Promise<boolean> {
    return (await this.#run(name, values, deadline)).affected === 1;
  }

  #run(
    name: keyof PostgresRecordStatements,
    values: readonly unknown[],
    deadline: number,
  ): Promise<SqlResult> {
    const statement = { name: `bedrock_record_${name}`, text: this.#statements[name], values };
    return this.pool.run(statement, deadline, name === 'renew');
  }
}

/** A row as the client library reads it: numbers of 64 bits come as text, bytes as a Buffer. */
function viewOf(row: SqlResult['rows'][number]): RecordView {
  const { owner, print, result, left_us: leftUs } = row;
  return {
    owner: String(owner),
    fingerprint: (print as Buffer).toString('utf8'),
    value: typeof result === 'string' ? result : undefined,
    remainingMs: Math.max(0, Number(leftUs) / US),
  };
}
