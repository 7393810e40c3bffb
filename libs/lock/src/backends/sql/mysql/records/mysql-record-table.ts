import type { Clock } from '../../../../core/clock.js';
import type { RecordRef, RecordView } from '../../../../core/ports/records.js';
import type { Answer, Statement } from '../../connection/link.js';
import type { LinkPool } from '../../connection/link-pool.js';
import type { RecordTable, RecordToMake } from '../../records/record-table.js';
import { noAnswer } from '../connection/failures.js';
import { textOf } from '../locks/lock-statements.js';
import { MADE, RecordStatements } from './record-statements.js';
import { SeenRecords } from './seen-records.js';
import type { Tables } from '../locks/tables.js';

const US = 1_000;

/**
 * The rows of records in MySQL and MariaDB. No statement of both gives a row that it has not changed, so a record that stands in
 * the way is read by a second one.
 */
export class MysqlRecordTable implements RecordTable {
  readonly #statements: RecordStatements;
  readonly #seen: SeenRecords;

  constructor(
    private readonly pool: LinkPool,
    tables: Tables,
    clock: Clock,
  ) {
    this.#statements = new RecordStatements(tables);
    this.#seen = new SeenRecords(clock);
  }

  async begin(start: RecordToMake, by: number): Promise<'made' | RecordView | undefined> {
    const { resource, lifeUs } = start;
    if (this.#seen.isProbablyThere(resource)) {
      const view = await this.#inTheWay(start, by);
      if (view !== undefined) return view;
    }
    const { insertId, affected } = await this.#run(this.#statements.begin(start), by);
    if (insertId === MADE) {
      this.#seen.saw(resource, lifeUs / US);
      return 'made';
    }
    // It was too late.
    if (insertId === 0 && affected === 0) return undefined;
    // Something on the way has swallowed the number: nobody may believe to have made the record.
    if (insertId === 0) throw noAnswer('the answer does not say whether the record was made');
    return this.#inTheWay(start, by);
  }

  async renew(ref: RecordRef, lifeUs: number, by: number): Promise<boolean> {
    return this.#did(this.#statements.renew(ref, lifeUs), by);
  }

  async complete(ref: RecordRef, value: string, lifeUs: number, by: number): Promise<boolean> {
    const isDone = await this.#did(this.#statements.complete(ref, value, lifeUs), by);
    if (isDone) this.#seen.saw(ref.resource, lifeUs / US);
    return isDone;
  }

  async abandon(ref: RecordRef, by: number): Promise<boolean> {
    this.#seen.gone(ref.resource);
    return this.#did(this.#statements.abandon(ref), by);
  }

  async read(resource: string, by: number): Promise<RecordView | undefined> {
    const { rows } = await this.#run(this.#statements.read(resource), by);
    const view = rows.map(viewOf)[0];
    if (view === undefined) this.#seen.gone(resource);
    else this.#seen.saw(resource, view.remainingMs);
    return view;
  }

  async remove(resource: string, by: number): Promise<boolean> {
    this.#seen.gone(resource);
    return this.#did(this.#statements.remove(resource), by);
  }

  async sweep(limit: number, by: number): Promise<number> {
    const { rows } = await this.#run(this.#statements.over(limit), by);
    const names = rows.map((row) => textOf(row['resource']));
    if (names.length > 0) await this.#run(this.#statements.removeOver(names), by);
    return names.length;
  }

  /** What stands in the way of a record; not what its own owner has in flight. */
  async #inTheWay({ resource, owner }: RecordRef, by: number): Promise<RecordView | undefined> {
    const view = await this.read(resource, by);
    return view?.owner === owner && view.value === undefined ? undefined : view;
  }

  /** Whether a row was found to change or to remove. */
  async #did(statement: Statement, by: number): Promise<boolean> {
    return (await this.#run(statement, by)).affected === 1;
  }

  #run(statement: Statement, by: number): Promise<Answer> {
    return this.pool.run(statement, by);
  }
}

function viewOf(row: Answer['rows'][number]): RecordView {
  const { owner, print, result, left_us: leftUs } = row;
  return {
    owner: textOf(owner),
    fingerprint: textOf(print),
    value: result === null ? undefined : textOf(result),
    remainingMs: Math.max(0, Number(leftUs) / US),
  };
}
