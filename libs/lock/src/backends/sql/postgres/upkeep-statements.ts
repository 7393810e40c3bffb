import type { PostgresTableNames } from './names.js';
import { NOW } from './lock-statements.js';

export type UpkeepStatements = ReturnType<typeof upkeepStatements>;

/** The statements that delete unused rows, and those on the table of processes. */
export function upkeepStatements({ locks, processes }: PostgresTableNames) {
  const isOver = `t.ends_us <= ${NOW} AND t.token <= ${NOW} AND t.version <= ${NOW}`;
  return {
    // $1 resources. A locked row is in use.
    remove: `WITH r AS MATERIALIZED (
  SELECT t.resource FROM ${locks} t WHERE t.resource = ANY ($1::text[]) AND ${isOver}
  ORDER BY t.resource FOR UPDATE SKIP LOCKED
),
d AS (DELETE FROM ${locks} t USING r WHERE t.resource = r.resource RETURNING t.resource)
SELECT u.name AS resource FROM unnest($1::text[]) AS u(name)
LEFT JOIN ${locks} t ON t.resource = u.name LEFT JOIN d ON d.resource = u.name
WHERE t.resource IS NULL OR d.resource IS NOT NULL`,

    // $1 idle, $2 limit
    sweep: `WITH r AS MATERIALIZED (
  SELECT t.resource FROM ${locks} t WHERE t.ends_us < ${NOW} - $1::bigint AND ${isOver}
  ORDER BY t.resource LIMIT $2::integer FOR UPDATE SKIP LOCKED
),
p AS (DELETE FROM ${processes} q WHERE q.seen_us < ${NOW} - $1::bigint)
DELETE FROM ${locks} t USING r WHERE t.resource = r.resource`,

    // $1 id, $2 host, $3 pid, $4 label
    register: `INSERT INTO ${processes} (id, host, pid, label, seen_us) VALUES ($1, $2, $3::integer, $4, ${NOW})
ON CONFLICT (id) DO UPDATE SET seen_us = excluded.seen_us`,

    unregister: `DELETE FROM ${processes} WHERE id = $1`,

    processes: `SELECT id, host, pid, label FROM ${processes} WHERE id = ANY ($1::text[])`,

    // $1 idle
    livingProcesses: `SELECT id, host, pid, label FROM ${processes} WHERE seen_us >= ${NOW} - $1::bigint`,
  };
}
