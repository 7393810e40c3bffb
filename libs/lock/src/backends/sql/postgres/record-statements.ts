import type { PostgresTableNames } from './names.js';
import { NOW } from './lock-statements.js';

/** The time at which the statement began: unlike NOW it lets the server use the index on ends. */
const BEGAN = '(extract(epoch FROM statement_timestamp()) * 1000000)::bigint';

export type PostgresRecordStatements = ReturnType<typeof recordStatementsFor>;

/**
 * The statements on the table of records. A change that had to wait for its row looks at the row,
 * and at the clock, again.
 */
export function recordStatementsFor({ records }: PostgresTableNames) {
  const isMine = `resource = $1 AND owner = $2 AND until_us > ${NOW}`;
  return {
    // $1 resource, $2 owner, $3 print, $4 life, $5 not after. `s` looks for a record in the way
    // first, so that a repetition writes nothing and locks nothing. No row: `b` met a record that
    // `s` did not see yet.
    begin: `WITH s AS MATERIALIZED (
  SELECT owner, print, result, until_us - ${NOW} AS left_us FROM ${records}
  WHERE resource = $1 AND until_us > ${NOW} AND (owner <> $2 OR result IS NOT NULL)
),
b AS (
  INSERT INTO ${records} AS t (resource, owner, print, until_us)
  SELECT $1, $2, $3::bytea, ${NOW} + $4::bigint WHERE NOT EXISTS (SELECT FROM s) AND ${NOW} <= $5::bigint
  ON CONFLICT (resource) DO UPDATE
    SET owner = excluded.owner, print = excluded.print, result = NULL, until_us = ${NOW} + $4::bigint
    WHERE (t.until_us <= ${NOW} OR (t.owner = excluded.owner AND t.result IS NULL)) AND ${NOW} <= $5::bigint
  RETURNING t.owner
)
SELECT false AS made, s.* FROM s UNION ALL SELECT true, owner, NULL, NULL, NULL FROM b`,

    // $1 resource, $2 owner, $3 life
    renew: `UPDATE ${records} SET until_us = ${NOW} + $3::bigint WHERE ${isMine} AND result IS NULL`,

    // $1 resource, $2 owner, $3 value, $4 life
    complete: `UPDATE ${records}
SET result = $3, until_us = CASE WHEN result IS NULL THEN ${NOW} + $4::bigint ELSE until_us END
WHERE ${isMine} AND (result IS NULL OR result = $3)`,

    // $1 resource, $2 owner
    abandon: `DELETE FROM ${records} WHERE ${isMine} AND result IS NULL`,

    // $1 resource
    read: `SELECT owner, print, result, until_us - ${NOW} AS left_us FROM ${records} WHERE resource = $1 AND until_us > ${NOW}`,

    // $1 resource
    remove: `DELETE FROM ${records} WHERE resource = $1 AND until_us > ${NOW}`,

    // $1 limit. A locked row is in use. A list, so that keys are looked up: the planner does not know the count.
    sweep: `DELETE FROM ${records} WHERE resource = ANY (ARRAY (
  SELECT resource FROM ${records} WHERE until_us <= ${BEGAN} ORDER BY until_us LIMIT $1::integer FOR UPDATE SKIP LOCKED
))`,
  };
}
