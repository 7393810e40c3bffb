import type { Clock } from '../../../../core/clock.js';
import type { RecordRef, RecordView } from '../../../../core/ports/records.js';
import type { SqlResult, Statement } from '../../connection/link.js';
import type { LinkPool } from '../../connection/link-pool.js';
import type { RecordTable, RecordInsert } from '../../records/record-table.js';
import { noAnswer } from '../connection/failures.js';
import { textOf } from '../locks/lock-statements.js';
import { MADE, MysqlRecordStatements } from './record-statements.js';
import { SeenRecords } from './seen-records.js';
import type { MysqlTableNames } from '../locks/tables.js';

const US = 1_000;

/**
 * The rows of records in MySQL and MariaDB. No statement that both know returns a row that it has
 * not changed. So a second statement reads a record that is in the way.
 */
export class MysqlRecordTable implements RecordTable {
  readonly #statements: MysqlRecordStatements;
  readonly #seen: SeenRecords;

  constructor(
    private readonly pool: LinkPool,
    tables: MysqlTableNames,
    clock: Clock,
  ) {
    this.#statements = new MysqlRecordStatements(tables);
    this.#seen = new SeenRecords(clock);
  }

  async begin(start: RecordInsert, deadline: number): Promise<'made' | RecordView | undefined> {
    const { resource, lifeUs } = start;
    if (this.#seen.isProbablyThere(resource)) {
      const view = await this.#inTheWay(start, deadline);
      if (view !== undefined) return view;
    }
    const { insertId, affected } = await this.pool.run(this.#statements.begin(start), deadline);
    if (insertId === MADE) {
      this.#seen.markSeen(resource, lifeUs / US);
      return 'made';
    }
    // It was too late.
    if (insertId === 0 && affected === 0) return undefined;
    // Something on the way has swallowed the number: no caller may believe that it made the record.
    if (insertId === 0) throw noAnswer('the answer does not say whether the record was made');
    return this.#inTheWay(start, deadline);
  }

  async renew(ref: RecordRef, lifeUs: number, deadline: number): Promise<boolean> {
    return this.#did(this.#statements.renew(ref, lifeUs), deadline, true);
  }

  async complete(ref: RecordRef, value: string, lifeUs: number, deadline: number): Promise<boolean> {
    const isDone = await this.#did(this.#statements.complete(ref, value, lifeUs), deadline);
    if (isDone) this.#seen.markSeen(ref.resource, lifeUs / US);
    return isDone;
  }

  async abandon(ref: RecordRef, deadline: number): Promise<boolean> {
    this.#seen.markGone(ref.resource);
    return this.#did(this.#statements.abandon(ref), deadline);
  }

  async read(resource: string, deadline: number): Promise<RecordView | undefined> {
    const { rows } = await this.pool.run(this.#statements.read(resource), deadline);
    const view = rows.map(viewOf)[0];
    if (view === undefined) this.#seen.markGone(resource);
    else this.#seen.markSeen(resource, view.remainingMs);
    return view;
  }

  async remove(resource: string, deadline: number): Promise<boolean> {
    this.#seen.markGone(resource);
    return this.#did(this.#statements.remove(resource), deadline);
  }

  async sweep(limit: number, deadline: number): Promise<number> {
    const { rows } = await this.pool.run(this.#statements.over(limit), deadline);
    const names = rows.map((row) => textOf(row['resource']));
    if (names.length > 0) await this.pool.run(this.#statements.removeOver(names), deadline);
    return names.length;
  }

  /** What stands in the way of a record; not what its own owner has in flight. */
  async #inTheWay({ resource, owner }: RecordRef, deadline: number): Promise<RecordView | undefined> {
    const view = await this.read(resource, deadline);
    return view?.owner === owner && view.value === undefined ? undefined : view;
  }

  /** Whether a row was found to change or to remove. */
  async #did(statement: Statement, deadline: number, isUrgent = false): Promise<boolean> {
    return (await this.pool.run(statement, deadline, isUrgent)).affected === 1;
  }
}

function viewOf(row: SqlResult['rows'][number]): RecordView {
  const { owner, print, result, left_us: leftUs } = row;
  return {
    owner: textOf(owner),
    fingerprint: textOf(print),
    value: result === null ? undefined : textOf(result),
    remainingMs: Math.max(0, Number(leftUs) / US),
  };
}
