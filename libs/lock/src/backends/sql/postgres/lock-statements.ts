import { HEAD_LIFE_US, ENTRY_LIFE_US } from '../rows/row-state.js';
import { channelOf } from './names.js';

/**
 * The database's time in µs. Not `now()`, which is when the transaction began: a statement may wait
 * for its row. It is a double, which costs half of a numeric. The division into seconds loses less
 * than half a µs, which is rounded away.
 */
export const NOW = "(date_part('epoch', clock_timestamp()) * 1000000)::bigint";
/** Between two readings of the clock in one statement, at most: a row must not count as over before its grant, µs. */
const CLOCK_STEP_US = 1_000;
/**
 * Makes a statement fail in `RETURNING`, which undoes its change: SQL has no verb for that, and a
 * function of our own would ask for a right that users may not have. The logarithm of zero is an
 * error of its own code ({@link LATE}), which no other expression here can cause. The column keeps
 * the planner from computing it in advance, for statements that are in time.
 */
const FAIL_AS_LATE = 'ln(0.0 * t.depth)::bigint';
/** `invalid_argument_for_logarithm`: the SQLSTATE of {@link FAIL_AS_LATE}. */
export const LATE = '2201E';
/** The requested grants, as `h`. */
const ACQUIRE_FREE_COLUMNS = [
  ['of_resource', 'text'], ['id', 'text'], ['of_units', 'integer'], ['life_us', 'bigint'], ['tokens', 'bigint'],
  ['not_after_us', 'bigint'],
] as const; // prettier-ignore
const ACQUIRE_COLUMNS = [
  ...ACQUIRE_FREE_COLUMNS, ['key', 'text'], ['process_id', 'text'], ['is_shared', 'boolean'], ['capacity', 'integer'],
  ['queue', 'boolean'],
] as const; // prettier-ignore
const RELEASE_FREE_COLUMNS = [
  ['of_resource', 'text'],
  ['id', 'text'],
] as const;
const RELEASE_COLUMNS = [
  ...RELEASE_FREE_COLUMNS, ['keep_us', 'bigint'], ['leaver', 'text'],
] as const; // prettier-ignore
const COLUMNS =
  't.resource, t.version, t.holder, t.until_us, t.units, t.depth, t.revoked, t.token, t.ends_us, t.crowd, t.line';
/** Of a row `n`, as the client reads it. */
const READ = `n.now_us, n.resource, n.version, n.holder, n.until_us, n.units, n.depth, n.revoked, n.token, n.ends_us,
  n.crowd::text AS crowd, n.line::text AS line`;

/** `h`: the parameters are the values of one item, or a list of them for each column. */
function inputClause(
  count: 'one' | 'many',
  columns: readonly (readonly [name: string, type: string])[],
): string {
  if (count === 'one')
    return `h AS (SELECT ${columns.map(([name, type], i) => `$${i + 1}::${type} AS ${name}`).join(', ')})`;
  const lists = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ');
  return `h AS (SELECT * FROM unnest(${lists}) AS u(${columns.map(([name]) => name).join(', ')}))`;
}

/**
 * What rows `n` hold and who waits there, as `p`: grants that have not ended, the units of the
 * living in the queue before `key`, and the queue without it.
 */
function grantsOf(key: string): string {
  return `p AS MATERIALIZED (
  SELECT n.*, f.is_flat AND n.holder = n.id AS is_own_flat, g.crowd_alive, g.crowd_ends,
    CASE WHEN f.is_flat THEN n.until_us ELSE 0 END AS flat_ends,
    CASE WHEN f.is_flat THEN jsonb_build_array(
      jsonb_build_array(n.holder, 1, n.units, n.until_us, n.depth, n.revoked::integer)) ELSE '[]' END AS flat_alive,
    (f.is_flat AND n.holder = n.id) OR g.is_own AS is_known,
    (f.is_flat AND n.holder = n.id AND n.revoked) OR g.is_own_revoked AS is_revoked,
    CASE WHEN f.is_flat AND n.holder = n.id THEN n.units ELSE g.own_units END AS own_units,
    g.crowd_units + CASE WHEN f.is_flat THEN n.units ELSE 0 END AS held,
    l.place, l.line_others, a.ahead
  FROM n, LATERAL (SELECT n.holder <> '' AND n.until_us > n.now_us AS is_flat) f, LATERAL (
    SELECT jsonb_agg(g ORDER BY i) AS crowd_alive, coalesce(max((g ->> 3)::bigint), 0) AS crowd_ends,
      coalesce(sum((g ->> 2)::bigint), 0) AS crowd_units, coalesce(bool_or(g ->> 0 = n.id), false) AS is_own,
      coalesce(sum((g ->> 2)::bigint) FILTER (WHERE g ->> 0 = n.id), 0) AS own_units,
      coalesce(bool_or(g ->> 0 = n.id AND g ->> 5 = '1'), false) AS is_own_revoked
    FROM jsonb_array_elements(n.crowd) WITH ORDINALITY x(g, i) WHERE (g ->> 3)::bigint > n.now_us
  ) g, LATERAL (
    SELECT min(i) FILTER (WHERE e ->> 'k' IN (${key}, n.id)) AS place,
      jsonb_agg(e ORDER BY i) FILTER (WHERE e ->> 'k' NOT IN (${key}, n.id)
        AND (e ->> 's')::bigint >= n.now_us - ${ENTRY_LIFE_US}) AS line_others
    FROM jsonb_array_elements(n.line) WITH ORDINALITY x(e, i)
  ) l, LATERAL (
    SELECT coalesce(sum((e ->> 'u')::bigint), 0) AS ahead FROM jsonb_array_elements(n.line) WITH ORDINALITY x(e, i)
    WHERE (e ->> 's')::bigint >= n.now_us - ${HEAD_LIFE_US} AND (l.place IS NULL OR i < l.place)
  ) a
)`;
}

/** Notifies the first living waiter in the queues of the changed rows `d`, if it fits beside the current holders. */
function wakeClause(condition: string): string {
  return `w AS (
  SELECT pg_notify(${channelOf("(e ->> 'p')")},
    CASE WHEN e ->> 'k' = e ->> 'p' THEN '' ELSE e ->> 'k' END || ' ' || d.resource)
  FROM d, LATERAL (
    SELECT x.e FROM jsonb_array_elements(d.line) WITH ORDINALITY x(e, i)
    WHERE (x.e ->> 's')::bigint >= d.now_us - ${HEAD_LIFE_US} ORDER BY i LIMIT 1
  ) first
  WHERE d.${condition} AND d.held + (e ->> 'u')::bigint <= (e ->> 'c')::bigint
)`;
}

/**
 * For exclusive grants without waiters, which is nearly always. A single one is a plain change. If
 * another transaction has changed the row meanwhile, the server evaluates the new row and the clock
 * again. If that transaction only held the row for a while, the earlier decision still holds,
 * except for the time of the claim. A claim that is late by then fails with `LATE`, and the change
 * with it.
 */
function shortStatements(locks: string, count: 'one' | 'many', locked: string) {
  if (count === 'one') {
    const isQuiet = 't.resource = $1 AND t.crowd IS NULL AND t.line IS NULL';
    return {
      acquireFree: `UPDATE ${locks} t SET version = t.version + 1, holder = $2, revoked = false, depth = 1, units = $3::integer,
  until_us = ${NOW} + $4::bigint, ends_us = ${NOW} + $4::bigint + ${CLOCK_STEP_US},
  token = CASE WHEN $5::bigint > 0 THEN greatest(t.token, ${NOW}) + $5::bigint ELSE t.token END
WHERE ${isQuiet} AND t.until_us <= ${NOW} AND ${NOW} <= $6::bigint
RETURNING t.token AS given, CASE WHEN ${NOW} <= $6::bigint THEN t.until_us - $4::bigint ELSE ${FAIL_AS_LATE} END AS now_us`,
      releaseFree: `UPDATE ${locks} t SET version = t.version + 1, holder = '', until_us = 0, ends_us = 0
WHERE ${isQuiet} AND t.holder = $2 AND t.until_us > ${NOW}`,
    };
  }
  const isQuiet = 'n.crowd IS NULL AND n.line IS NULL';
  return {
    acquireFree: `WITH ${inputClause(count, ACQUIRE_FREE_COLUMNS)}, ${locked}
UPDATE ${locks} t SET version = n.version + 1, holder = n.id, revoked = false, depth = 1, units = n.of_units,
  until_us = n.now_us + n.life_us, ends_us = n.now_us + n.life_us,
  token = CASE WHEN n.tokens > 0 THEN greatest(n.token, n.now_us) + n.tokens ELSE n.token END
FROM n WHERE t.resource = n.resource AND n.now_us <= n.not_after_us AND ${isQuiet} AND n.until_us <= n.now_us
RETURNING t.resource, t.token AS given, n.now_us`,
    releaseFree: `WITH ${inputClause(count, RELEASE_FREE_COLUMNS)}, ${locked}
UPDATE ${locks} t SET version = n.version + 1, holder = '', until_us = 0, ends_us = 0
FROM n WHERE t.resource = n.resource AND ${isQuiet} AND n.holder = n.id AND n.until_us > n.now_us
RETURNING t.resource`,
  };
}

/** All that `RowState.claim` does. */
function acquireStatement(locks: string, count: 'one' | 'many', locked: string): string {
  return `WITH ${inputClause(count, ACQUIRE_COLUMNS)}, ${locked}, ${grantsOf('n.key')},
v AS MATERIALIZED (
  SELECT p.*, jsonb_build_object('k', key, 'p', process_id, 's', now_us, 'u', of_units, 'c', capacity) AS entry, CASE
    WHEN now_us > not_after_us THEN 'stale'
    WHEN is_known AND NOT is_revoked THEN 'repeat'
    WHEN NOT is_known AND held + ahead + of_units <= capacity THEN 'grant'
    ELSE 'refuse' END AS verdict FROM p
),
d AS (
  UPDATE ${locks} t SET version = v.version + 1, token = c.token, crowd = c.crowd, line = c.line,
    holder = c.holder, until_us = c.until_us, units = c.units, depth = c.depth, revoked = c.revoked,
    ends_us = greatest(c.until_us, v.crowd_ends, v.flat_ends, CASE WHEN v.verdict = 'refuse' THEN 0 ELSE v.now_us + v.life_us END,
      CASE WHEN c.line IS NULL THEN 0 ELSE v.now_us + ${HEAD_LIFE_US} END)
  FROM v, LATERAL (
    SELECT v.verdict = 'grant' AND (v.is_shared OR v.held > 0) AS joins,
      v.verdict = 'grant' AND NOT v.is_shared AND v.held = 0 AS fills,
      v.verdict = 'repeat' AND v.is_own_flat AS lengthens
  ) k, LATERAL (
    SELECT
      CASE WHEN v.verdict <> 'refuse' AND v.tokens > 0 THEN greatest(v.token, v.now_us) + v.tokens ELSE v.token END AS token,
      CASE WHEN k.fills THEN NULL
        WHEN k.joins THEN coalesce(v.crowd_alive, '[]') || v.flat_alive
          || jsonb_build_array(jsonb_build_array(v.id, v.is_shared::integer # 1, v.of_units, v.now_us + v.life_us, 1, 0))
        WHEN v.verdict = 'repeat' AND NOT v.is_own_flat THEN (
          SELECT jsonb_agg(CASE WHEN g ->> 0 = v.id
            THEN jsonb_set(g, '{3}', to_jsonb(greatest((g ->> 3)::bigint, v.now_us + v.life_us))) ELSE g END ORDER BY i)
          FROM jsonb_array_elements(v.crowd_alive) WITH ORDINALITY x(g, i))
        ELSE v.crowd END AS crowd,
      CASE WHEN v.verdict = 'repeat' THEN v.line
        WHEN v.verdict = 'grant' THEN v.line_others
        WHEN v.place IS NULL THEN coalesce(v.line_others, '[]') || jsonb_build_array(v.entry)
        ELSE (SELECT jsonb_agg(CASE WHEN w ->> 'k' = v.key THEN v.entry ELSE w END ORDER BY i)
          FROM jsonb_array_elements(v.line) WITH ORDINALITY x(w, i)
          WHERE w ->> 'k' = v.key OR (w ->> 's')::bigint >= v.now_us - ${ENTRY_LIFE_US}) END AS line,
      CASE WHEN k.fills THEN v.id WHEN k.joins THEN '' ELSE v.holder END AS holder,
      CASE WHEN k.fills THEN v.now_us + v.life_us WHEN k.joins THEN 0
        WHEN k.lengthens THEN greatest(v.until_us, v.now_us + v.life_us) ELSE v.until_us END AS until_us,
      CASE WHEN k.fills THEN v.of_units WHEN k.joins THEN 0 ELSE v.units END AS units,
      CASE WHEN k.fills THEN 1 WHEN k.joins THEN 0 ELSE v.depth END AS depth,
      CASE WHEN k.fills OR k.joins THEN false ELSE v.revoked END AS revoked
  ) c
  WHERE t.resource = v.resource AND (v.verdict IN ('repeat', 'grant') OR (v.verdict = 'refuse' AND v.queue))
  RETURNING t.resource, CASE WHEN v.verdict IN ('repeat', 'grant') THEN t.token END AS given, v.now_us, t.line,
    v.verdict = 'grant' AND v.is_shared AS may_wake, v.held + v.of_units AS held
),
${wakeClause('may_wake')}
SELECT ${READ.replaceAll('n.', 'v.')}, d.given, (SELECT count(*) FROM w) AS told FROM v LEFT JOIN d ON d.resource = v.resource`;
}

/** All that `RowState.withdraw` does. */
function releaseStatement(locks: string, count: 'one' | 'many', locked: string): string {
  return `WITH ${inputClause(count, RELEASE_COLUMNS)}, ${locked}, ${grantsOf('n.leaver')},
v AS MATERIALIZED (
  SELECT p.*, is_known AND keep_us = 0 AS frees, is_known AND keep_us > 0 AS keeps,
    leaver <> '' AND place IS NOT NULL AS leaves FROM p
),
d AS (
  UPDATE ${locks} t SET version = v.version + 1, line = c.line, crowd = c.crowd, holder = c.holder, until_us = c.until_us,
    ends_us = greatest(c.until_us, c.crowd_ends, CASE WHEN c.line IS NULL THEN 0 ELSE v.now_us + ${HEAD_LIFE_US} END)
  FROM v, LATERAL (
    SELECT jsonb_agg(g ORDER BY i) AS crowd, coalesce(max((g ->> 3)::bigint), 0) AS crowd_ends FROM (
      SELECT i, CASE WHEN g ->> 0 = v.id
        THEN jsonb_set(g, '{3}', to_jsonb(least((g ->> 3)::bigint, v.now_us + v.keep_us))) ELSE g END AS g
      FROM jsonb_array_elements(v.crowd_alive) WITH ORDINALITY x(g, i) WHERE NOT (v.frees AND g ->> 0 = v.id)
    ) x
  ) o, LATERAL (
    SELECT o.crowd, o.crowd_ends, CASE WHEN v.leaves THEN v.line_others ELSE v.line END AS line,
      CASE WHEN v.is_own_flat AND v.frees THEN '' ELSE v.holder END AS holder,
      CASE WHEN v.is_own_flat AND v.frees THEN 0 WHEN v.is_own_flat AND v.keeps THEN least(v.until_us, v.now_us + v.keep_us)
        ELSE v.until_us END AS until_us
  ) c
  WHERE t.resource = v.resource AND (v.is_known OR v.leaves)
  RETURNING t.resource, v.now_us, t.line, v.frees OR (v.leaves AND v.ahead = 0) AS may_wake,
    v.held - CASE WHEN v.frees THEN v.own_units ELSE 0 END AS held
),
${wakeClause('may_wake')}
SELECT v.resource, v.now_us, v.is_known, (SELECT count(*) FROM w) AS told FROM v`;
}

export type RowStatements = ReturnType<typeof rowStatements>;

/**
 * The statements on the rows of locks. Those that change a row, except for the short ones, take
 * three steps. They lock the row first (`r`), then read the clock (`n`), and only then change the
 * row (`d`). So a statement that waited for the row decides by the time after the wait. It answers
 * with the row that it found.
 */
export function rowStatements(locks: string, count: 'one' | 'many') {
  const locked = `r AS MATERIALIZED (
  SELECT ${COLUMNS}, h.* FROM ${locks} t JOIN h ON t.resource = h.of_resource
  ORDER BY t.resource FOR NO KEY UPDATE OF t
),
n AS MATERIALIZED (SELECT r.*, ${NOW} AS now_us FROM r)`;
  return {
    ...shortStatements(locks, count, locked),
    acquire: acquireStatement(locks, count, locked),
    release: releaseStatement(locks, count, locked),

    create: `INSERT INTO ${locks} (resource, version)
SELECT name, ${NOW} FROM unnest($1::text[]) AS u(name) ORDER BY name
ON CONFLICT (resource) DO NOTHING`,

    // For exclusive grants: makes the row with the grant in it.
    acquireNew: `WITH ${inputClause(count, ACQUIRE_FREE_COLUMNS)}, n AS MATERIALIZED (SELECT h.*, ${NOW} AS now_us FROM h ORDER BY of_resource)
INSERT INTO ${locks} (resource, version, holder, until_us, units, depth, token, ends_us)
SELECT of_resource, now_us, id, now_us + life_us, of_units, 1,
  CASE WHEN tokens > 0 THEN now_us + tokens ELSE 0 END, now_us + life_us
FROM n WHERE now_us <= not_after_us
ON CONFLICT (resource) DO NOTHING
RETURNING resource, token AS given, version AS now_us`,

    // $1 resources, $2 ids, $3 lives
    renew: `WITH h AS (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) AS u(resource, id, life_us)),
r AS MATERIALIZED (
  SELECT ${COLUMNS}, h.life_us FROM ${locks} t JOIN h ON t.resource = h.resource AND t.holder = h.id
  ORDER BY t.resource FOR NO KEY UPDATE OF t
),
n AS MATERIALIZED (SELECT r.*, ${NOW} AS now_us FROM r)
UPDATE ${locks} t SET version = n.version + 1,
  until_us = greatest(n.until_us, n.now_us + n.life_us), ends_us = greatest(n.ends_us, n.now_us + n.life_us)
FROM n
WHERE t.resource = n.resource AND n.until_us > n.now_us AND NOT n.revoked
RETURNING t.resource, t.holder`,

    read: `SELECT ${READ}
FROM (SELECT m.now_us, ${COLUMNS} FROM (SELECT ${NOW} AS now_us) m LEFT JOIN ${locks} t ON t.resource = ANY ($1::text[])) n`,

    // $1 from, $2 after, $3 end, $4 limit
    list: `SELECT ${READ}
FROM (SELECT ${NOW} AS now_us, ${COLUMNS} FROM ${locks} t
  WHERE t.resource >= $1 AND t.resource > $2 AND t.resource < $3 AND t.ends_us > ${NOW}
  ORDER BY t.resource LIMIT $4::integer) n`,

    // $1 resource, $2 version, $3 not after, $4 holder, $5 until, $6 units, $7 depth, $8 revoked, $9 token, $10 ends,
    // $11 crowd, $12 line, $13 channels, $14 messages
    compareAndSet: `WITH r AS MATERIALIZED (
  SELECT t.resource FROM ${locks} t WHERE t.resource = $1 AND t.version = $2::bigint FOR NO KEY UPDATE
),
n AS MATERIALIZED (SELECT r.resource, ${NOW} AS now_us FROM r),
d AS (
  UPDATE ${locks} t SET version = t.version + 1, holder = $4, until_us = $5::bigint, units = $6::integer,
    depth = $7::integer, revoked = $8::boolean, token = $9::bigint, ends_us = $10::bigint,
    crowd = $11::jsonb, line = $12::jsonb
  FROM n WHERE t.resource = n.resource AND n.now_us <= $3::bigint
  RETURNING t.resource
),
w AS (SELECT pg_notify(u.channel, u.message) FROM d, unnest($13::text[], $14::text[]) AS u(channel, message))
SELECT (SELECT count(*) FROM d)::integer AS done, (SELECT count(*) FROM w) AS told`,
  };
}
