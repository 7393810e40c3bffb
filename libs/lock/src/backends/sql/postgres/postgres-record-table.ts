import type { RecordRef, RecordView } from '../../../core/ports/records.js';
import type { Answer } from '../connection/link.js';
import type { LinkPool } from '../connection/link-pool.js';
import type { RecordTable, RecordToMake } from '../records/record-table.js';
import type { TableNames } from './names.js';
import { recordStatementsFor, type RecordStatements } from './record-statements.js';

const US = 1_000;

/** The rows of records in PostgreSQL. */
export class PostgresRecordTable implements RecordTable {
  readonly #statements: RecordStatements;

  constructor(
    private readonly pool: LinkPool,
    names: TableNames,
  ) {
    this.#statements = recordStatementsFor(names);
  }

  async begin(start: RecordToMake, by: number): Promise<'made' | RecordView | undefined> {
    const { resource, owner, fingerprint, lifeUs, notAfterUs } = start;
    const values = [resource, owner, Buffer.from(fingerprint), lifeUs, notAfterUs];
    const [row] = (await this.#run('begin', values, by)).rows;
    if (row === undefined) return undefined;
    return row['made'] === true ? 'made' : viewOf(row);
  }

  renew({ resource, owner }: RecordRef, lifeUs: number, by: number): Promise<boolean> {
    return this.#did('renew', [resource, owner, lifeUs], by);
  }

  complete({ resource, owner }: RecordRef, value: string, lifeUs: number, by: number): Promise<boolean> {
    return this.#did('complete', [resource, owner, value, lifeUs], by);
  }

  abandon({ resource, owner }: RecordRef, by: number): Promise<boolean> {
    return this.#did('abandon', [resource, owner], by);
  }

  async read(resource: string, by: number): Promise<RecordView | undefined> {
    const { rows } = await this.#run('read', [resource], by);
    return rows.map(viewOf)[0];
  }

  remove(resource: string, by: number): Promise<boolean> {
    return this.#did('remove', [resource], by);
  }

  async sweep(limit: number, by: number): Promise<number> {
    return (await this.#run('sweep', [limit], by)).affected;
  }

  async #did(name: keyof RecordStatements, values: readonly unknown[], by: number): Promise<boolean> {
    return (await this.#run(name, values, by)).affected === 1;
  }

  #run(name: keyof RecordStatements, values: readonly unknown[], by: number): Promise<Answer> {
    return this.pool.run({ name: `bedrock_record_${name}`, text: this.#statements[name], values }, by);
  }
}

/** A row as the client library reads it: numbers of 64 bits come as text, bytes as a Buffer. */
function viewOf(row: Answer['rows'][number]): RecordView {
  const { owner, print, result, left_us: leftUs } = row;
  return {
    owner: String(owner),
    fingerprint: (print as Buffer).toString('utf8'),
    value: typeof result === 'string' ? result : undefined,
    remainingMs: Math.max(0, Number(leftUs) / US),
  };
}
