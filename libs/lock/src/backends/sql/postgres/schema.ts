import type { PostgresTableNames } from './names.js';

/** Errors of the server about something that is there already: unique violation, duplicate table, duplicate object. */
const IS_THERE: ReadonlySet<unknown> = new Set(['23505', '42P07', '42710']);

/**
 * `CREATE ... IF NOT EXISTS` failed because another process was making the same: it looks before it
 * waits for that one. Tried again it finds it.
 */
export function isCreatedConcurrently(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return IS_THERE.has(cause?.code);
}

/** What makes the tables where they are missing; `migration.sql` has the same for the names of the defaults. */
export function createTables(names: PostgresTableNames): readonly string[] {
  const { locks, processes, records, recordsUntil, tokens } = names;
  return [
    // Half of each page stays free, so that a row changes in its page and no index with it.
    `CREATE TABLE IF NOT EXISTS ${locks} (
  resource text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  holder text COLLATE "C" NOT NULL DEFAULT '',
  until_us bigint NOT NULL DEFAULT 0,
  units integer NOT NULL DEFAULT 0,
  depth integer NOT NULL DEFAULT 0,
  revoked boolean NOT NULL DEFAULT false,
  token bigint NOT NULL DEFAULT 0,
  ends_us bigint NOT NULL DEFAULT 0,
  crowd jsonb,
  line jsonb
) WITH (fillfactor = 50)`,
    `CREATE TABLE IF NOT EXISTS ${processes} (
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  label text,
  seen_us bigint NOT NULL
)`,
    // The fingerprint is bytes, since a text may be any but cannot have NUL.
    `CREATE TABLE IF NOT EXISTS ${records} (
  resource text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  print bytea NOT NULL,
  result text COLLATE "C",
  until_us bigint NOT NULL
)`,
    // Asked for first: a command that would only say that it is there locks the table, and waits for a vacuum of it.
    `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indrelid = '${records}'::regclass AND i.relname = '${recordsUntil}')
  THEN CREATE INDEX IF NOT EXISTS "${recordsUntil}" ON ${records} (until_us); END IF;
END $$`,
    // Each value stands for so many fencing tokens; only session locks need it.
    `CREATE SEQUENCE IF NOT EXISTS ${tokens} AS bigint START WITH 65536 INCREMENT BY 65536`,
  ];
}
