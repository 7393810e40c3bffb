import type { Statement } from '../../connection/link.js';
import type { LockRow, ProcessRow } from '../../rows/lock-row.js';
import type { NameRange, RowUpdate, RowRelease, RowRenewal, RowAcquire } from '../../rows/lock-table.js';
import { HEAD_LIFE_US } from '../../rows/row-state.js';
import type { MysqlTableNames } from './tables.js';

/**
 * The server's time at evaluation, in µs. NOW() would be the time at which the statement began,
 * which may have waited for a row since. Sessions are in UTC.
 */
export const NOW = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))`;
const FREE = `'', 0, 0, 0, 0, 0`;
const ROW = 'resource, version, holder, until_us, units, depth, revoked, token, ends_us, crowd, line';

/**
 * The statements on the tables of locks. The version of a row is the time of its last change, or
 * one more than it was: so it grows, also over a row that was removed and made again. Assignments
 * of an UPDATE are made from left to right, and each sees those before it.
 */
export class MysqlLockStatements {
  readonly #acquireNew: string;
  readonly #acquireFree: string;
  readonly #acquire: string;
  readonly #release: string;
  readonly #shorten: string;
  readonly #compareAndSet: string;

  constructor(private readonly tables: MysqlTableNames) {
    const { locks } = tables;
    // The times of a row are reckoned before its place in the index is waited for, so that is waited for before.
    this.#acquireNew = `INSERT IGNORE INTO ${locks} (${ROW}) SELECT ?, ${NOW}, ?, ${NOW} + ?, ?, 1, 0,
IF(? = 0, LAST_INSERT_ID(${NOW}) * 0, LAST_INSERT_ID(${NOW}) + ?), ${NOW} + ?, NULL, NULL FROM DUAL
WHERE NOT EXISTS (SELECT 1 FROM ${locks} WHERE resource = ? FOR UPDATE) AND ${NOW} <= ?`;
    this.#acquireFree = `UPDATE ${locks} SET version = GREATEST(version + 1, ${NOW}), until_us = ${NOW} + ?, ends_us = until_us, depth = 1,
token = IF(? = 0, token + LAST_INSERT_ID(${NOW}) * 0, LAST_INSERT_ID(GREATEST(token, ${NOW})) + ?), units = ?, revoked = 0, holder = ?
WHERE resource = ? AND crowd IS NULL AND line IS NULL AND until_us <= ${NOW} AND ${NOW} <= ?`;
    this.#acquire = `UPDATE ${locks} SET version = GREATEST(version + 1, ${NOW}),
until_us = IF(holder = ?, GREATEST(until_us, ${NOW} + ?), ${NOW} + ?), depth = IF(holder = ?, depth, 1),
line = IF(line IS NULL OR holder = ?, line, IF(JSON_LENGTH(line) = 1, NULL, JSON_REMOVE(line, '$[0]'))),
ends_us = GREATEST(until_us, IF(line IS NULL, 0, ${NOW} + ${HEAD_LIFE_US})),
token = IF(? = 0, token + LAST_INSERT_ID(${NOW}) * 0, LAST_INSERT_ID(GREATEST(token, ${NOW})) + ?), units = ?, revoked = 0, holder = ?
WHERE resource = ? AND crowd IS NULL AND ${NOW} <= ?
AND IF(holder = ? AND revoked = 0 AND until_us > ${NOW}, TRUE,
(holder = '' OR until_us <= ${NOW}) AND (line IS NULL OR JSON_UNQUOTE(JSON_EXTRACT(line, '$[0].k')) = ?))`;
    const held = `WHERE resource = ? AND holder = ? AND until_us > ${NOW} AND (line IS NULL OR
(LOCATE(?, line) = 0 AND JSON_EXTRACT(line, '$[0].s') >= ${NOW} - ${HEAD_LIFE_US}))`;
    this.#release = `UPDATE ${locks} SET version = GREATEST(version + 1, ${NOW}), holder = '', until_us = 0,
ends_us = LAST_INSERT_ID(${NOW}) + IF(line IS NULL, 0, ${HEAD_LIFE_US}) ${held}`;
    this.#shorten = `UPDATE ${locks} SET version = GREATEST(version + 1, ${NOW}),
until_us = LEAST(until_us, LAST_INSERT_ID(${NOW}) + ?),
ends_us = GREATEST(until_us, IF(line IS NULL, 0, ${NOW} + ${HEAD_LIFE_US})) ${held}`;
    this.#compareAndSet = `UPDATE ${locks} SET version = GREATEST(version + 1, ${NOW}), holder = ?, until_us = ?, units = ?, depth = ?, revoked = ?,
token = ?, ends_us = ?, crowd = ?, line = ? WHERE resource = ? AND version = ? AND ${NOW} <= ?`;
  }

  create(resources: readonly string[]): Statement {
    const { locks } = this.tables;
    const rows = padded(resources);
    const values = rows.map(() => `(?, ${NOW}, ${FREE}, ${NOW}, NULL, NULL)`).join(', ');
    return statement(`INSERT IGNORE INTO ${locks} (${ROW}) VALUES ${values}`, rows);
  }

  /** Makes the row with the grant, where there is none. */
  acquireNew({ resource, id, units, lifeUs, tokens, notAfterUs }: RowAcquire): Statement {
    return statement(this.#acquireNew, [
      resource,
      id,
      lifeUs,
      units,
      tokens,
      tokens,
      lifeUs,
      resource,
      notAfterUs,
    ]);
  }

  /** For a row without waiter or holder: all that `acquire` does then, with half the server's work. */
  acquireFree({ resource, id, units, lifeUs, tokens, notAfterUs }: RowAcquire): Statement {
    return statement(this.#acquireFree, [lifeUs, tokens, tokens, units, id, resource, notAfterUs]);
  }

  acquire({ resource, id, key, units, lifeUs, tokens, notAfterUs }: RowAcquire): Statement {
    return statement(this.#acquire, [
      ...[id, lifeUs, lifeUs, id, id],
      ...[tokens, tokens, units, id],
      ...[resource, notAfterUs, id, key],
    ]);
  }

  release({ resource, id, keepUs, leavingKey }: RowRelease): Statement {
    // No waiter is in a queue under this name.
    const whom = leavingKey === '' ? '\u0000' : leavingKey;
    if (keepUs > 0) return statement(this.#shorten, [keepUs, resource, id, whom]);
    return statement(this.#release, [resource, id, whom]);
  }

  renew(renewals: readonly RowRenewal[]): Statement {
    const { locks } = this.tables;
    const rows = padded(renewals);
    const whens = rows.map(() => 'WHEN ? THEN ?').join(' ');
    const placeholders = rows.map(() => '?').join(', ');
    const text = `UPDATE ${locks} FORCE INDEX (PRIMARY) SET version = GREATEST(version + 1, ${NOW}),
until_us = GREATEST(until_us, ${NOW} + CASE resource ${whens} END), ends_us = GREATEST(ends_us, until_us)
WHERE resource IN (${placeholders}) AND holder = CASE resource ${whens} END AND revoked = 0 AND until_us > ${NOW}`;
    return statement(text, [
      ...rows.flatMap(({ resource, lifeUs }) => [resource, lifeUs]),
      ...rows.map(({ resource }) => resource),
      ...rows.flatMap(({ resource, id }) => [resource, id]),
    ]);
  }

  /** One row at least: that of the time, with columns that are null where there is no lock. */
  read(resources: readonly string[]): Statement {
    if (resources.length === 0) return statement(`SELECT ${NOW} AS now_us, NULL AS resource`, []);
    const { locks } = this.tables;
    const rows = padded(resources);
    const placeholders = rows.map(() => '?').join(', ');
    const text = `SELECT ${NOW} AS now_us, ${locks}.* FROM (SELECT 1) AS one LEFT JOIN ${locks} ON resource IN (${placeholders})`;
    return statement(text, rows);
  }

  list({ from, after, end }: NameRange, limit: number): Statement {
    const { locks } = this.tables;
    const text = `SELECT ${NOW} AS now_us, ${locks}.* FROM ${locks}
WHERE resource >= ? AND resource > ? AND resource < ? AND ends_us > ${NOW} ORDER BY resource LIMIT ?`;
    // The limit as text: see `abandoned()`.
    return statement(text, [from, after, end, String(limit)]);
  }

  compareAndSet({ expectedVersion, row, notAfterUs }: RowUpdate): Statement {
    const { resource, holder, untilUs, units, depth, revoked, token, endsUs, crowd, line } = row;
    return statement(this.#compareAndSet, [
      ...[holder, untilUs, units, depth, revoked ? 1 : 0, token, endsUs, crowd, line],
      ...[resource, expectedVersion, Math.min(notAfterUs, Number.MAX_SAFE_INTEGER)],
    ]);
  }

  remove(resources: readonly string[]): Statement {
    const { locks } = this.tables;
    const rows = padded(resources);
    const placeholders = rows.map(() => '?').join(', ');
    const isOver = `ends_us <= ${NOW} AND token < ${NOW} AND version < ${NOW}`;
    return statement(`DELETE FROM ${locks} WHERE resource IN (${placeholders}) AND ${isOver}`, rows);
  }

  /** Which of them are there: after a removal, those that stay. */
  existing(resources: readonly string[]): Statement {
    const rows = padded(resources);
    const placeholders = rows.map(() => '?').join(', ');
    return statement(`SELECT resource FROM ${this.tables.locks} WHERE resource IN (${placeholders})`, rows);
  }

  register({ id, host, pid, label }: ProcessRow): Statement {
    return statement(
      `INSERT INTO ${this.tables.processes} (id, host, pid, label, seen_us) VALUES (?, ?, ?, ?, ${NOW})
ON DUPLICATE KEY UPDATE host = VALUES(host), pid = VALUES(pid), label = VALUES(label), seen_us = VALUES(seen_us)`,
      [id, host, pid, label],
    );
  }

  unregister(processId: string): Statement {
    return statement(`DELETE FROM ${this.tables.processes} WHERE id = ?`, [processId]);
  }

  processes(ids: readonly string[]): Statement {
    const rows = padded(ids);
    const placeholders = rows.map(() => '?').join(', ');
    return statement(
      `SELECT id, host, pid, label FROM ${this.tables.processes} WHERE id IN (${placeholders})`,
      rows,
    );
  }

  livingProcesses(idleUs: number): Statement {
    const text = `SELECT id, host, pid, label FROM ${this.tables.processes} WHERE seen_us >= ${NOW} - ?`;
    return statement(text, [idleUs]);
  }

  /**
   * Names of rows that were left long ago, read without any lock: the removal checks them again.
   */
  abandoned(idleUs: number, limit: number): Statement {
    return statement(
      `SELECT resource FROM ${this.tables.locks} WHERE ends_us < ${NOW} - ? AND version < ${NOW} - ? LIMIT ?`,
      // As text: there are servers that take no other number there than a whole one, and the client may send fractions.
      [idleUs, idleUs, String(limit)],
    );
  }

  forgetProcesses(idleUs: number): Statement {
    return statement(`DELETE FROM ${this.tables.processes} WHERE seen_us < ${NOW} - ?`, [idleUs]);
  }
}

/** The lists come in nine lengths, so that a connection prepares few statements: the last item is named again. */
export function padded<T>(items: readonly T[]): readonly T[] {
  const last = items.at(-1);
  if (last === undefined) return items;
  const length = 2 ** Math.ceil(Math.log2(items.length));
  return [...items, ...Array<T>(length - items.length).fill(last)];
}

export function statement(text: string, values: readonly unknown[]): Statement {
  return { name: '', text, values };
}

export function lockRowOf(row: Readonly<Record<string, unknown>>): LockRow | undefined {
  if (row['resource'] === null) return undefined;
  return {
    resource: textOf(row['resource']),
    version: Number(row['version']),
    holder: textOf(row['holder']),
    untilUs: Number(row['until_us']),
    units: Number(row['units']),
    depth: Number(row['depth']),
    revoked: Number(row['revoked']) === 1,
    token: Number(row['token']),
    endsUs: Number(row['ends_us']),
    crowd: row['crowd'] === null ? null : textOf(row['crowd']),
    line: row['line'] === null ? null : textOf(row['line']),
  };
}

/** Columns of bytes come as a Buffer. */
export function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : (value as string);
}
