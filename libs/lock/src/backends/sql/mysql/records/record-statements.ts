import { createHash } from 'node:crypto';
import type { RecordRef } from '../../../../core/ports/records.js';
import type { Statement } from '../../connection/link.js';
import type { RecordInsert } from '../../records/record-table.js';
import { NOW, padded, statement } from '../locks/lock-statements.js';
import type { MysqlTableNames } from '../locks/tables.js';

/**
 * The number in the answer to `begin` when the record was made. Otherwise it is the end of the
 * present record, µs.
 */
export const MADE = 1;
/** The time at which the statement began: unlike NOW it lets the server use the index on ends. */
const BEGAN = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`;

/** The statements on the table of records. */
export class MysqlRecordStatements {
  readonly #begin: string;
  readonly #mine: string;

  constructor(private readonly tables: MysqlTableNames) {
    const { records } = tables;
    // The clock is read once, for the new end, so that every assignment decides alike, although one
    // of them changes the owner. It is read before the wait for the row. A record that was over by
    // then is over; one renewed meanwhile is not.
    const isFree = `until_us <= VALUES(until_us) - ? OR (owner = VALUES(owner) AND result IS NULL)`;
    this.#begin = `INSERT INTO ${records} (resource, owner, print, result, until_us)
SELECT ?, ?, ?, NULL, LAST_INSERT_ID(${MADE}) * 0 + ${NOW} + ? FROM DUAL WHERE ${NOW} <= ?
ON DUPLICATE KEY UPDATE print = IF(${isFree}, VALUES(print), print), result = IF(${isFree}, NULL, result),
owner = IF(${isFree}, VALUES(owner), owner), until_us = IF(${isFree}, VALUES(until_us), LAST_INSERT_ID(until_us))`;
    this.#mine = `WHERE resource = ? AND owner = ? AND until_us > ${NOW}`;
  }

  begin({ resource, owner, fingerprint, lifeUs, notAfterUs }: RecordInsert): Statement {
    const lives = Array<number>(4).fill(lifeUs);
    return statement(this.#begin, [resource, owner, fingerprint, lifeUs, notAfterUs, ...lives]);
  }

  renew({ resource, owner }: RecordRef, lifeUs: number): Statement {
    const text = `UPDATE ${this.tables.records} SET until_us = ${NOW} + ? ${this.#mine} AND result IS NULL`;
    return statement(text, [lifeUs, resource, owner]);
  }

  /** A value may be long: it travels once, and is compared by its digest where it is there already. */
  complete({ resource, owner }: RecordRef, value: string, lifeUs: number): Statement {
    const text = `UPDATE ${this.tables.records} SET until_us = IF(result IS NULL, ${NOW} + ?, until_us), result = ?
${this.#mine} AND (result IS NULL OR SHA2(result, 256) = ?)`;
    const digest = createHash('sha256').update(value).digest('hex');
    return statement(text, [lifeUs, value, resource, owner, digest]);
  }

  abandon({ resource, owner }: RecordRef): Statement {
    const text = `DELETE FROM ${this.tables.records} ${this.#mine} AND result IS NULL`;
    return statement(text, [resource, owner]);
  }

  read(resource: string): Statement {
    const text = `SELECT owner, print, result, until_us - ${NOW} AS left_us FROM ${this.tables.records}
WHERE resource = ? AND until_us > ${NOW}`;
    return statement(text, [resource]);
  }

  remove(resource: string): Statement {
    const text = `DELETE FROM ${this.tables.records} WHERE resource = ? AND until_us > ${NOW}`;
    return statement(text, [resource]);
  }

  /** Names of records that are over, read without any lock: the removal checks them again. */
  over(limit: number): Statement {
    const text = `SELECT resource FROM ${this.tables.records} WHERE until_us <= ${BEGAN} ORDER BY until_us LIMIT ?`;
    // As text, like that of the locks.
    return statement(text, [String(limit)]);
  }

  removeOver(resources: readonly string[]): Statement {
    const names = padded(resources);
    const placeholders = names.map(() => '?').join(', ');
    const text = `DELETE FROM ${this.tables.records} WHERE resource IN (${placeholders}) AND until_us <= ${NOW}`;
    return statement(text, names);
  }
}
