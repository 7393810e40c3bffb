-- The tables of bedrock-lock/postgres, under their default names, in the first schema of the search path.
-- Locks need SELECT, INSERT, UPDATE and DELETE on the first two tables, and session locks need USAGE on the sequence.

-- Half of each page stays free, so that a row changes in its page and no index with it.
CREATE TABLE IF NOT EXISTS "bedrock_locks" (
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
) WITH (fillfactor = 50);

CREATE TABLE IF NOT EXISTS "bedrock_processes" (
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  label text,
  seen_us bigint NOT NULL
);

-- The records of idempotency: a database user that uses it needs the same rights on this table.
CREATE TABLE IF NOT EXISTS "bedrock_records" (
  resource text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  print bytea NOT NULL,
  result text COLLATE "C",
  until_us bigint NOT NULL
);

CREATE INDEX IF NOT EXISTS "bedrock_records_until" ON "bedrock_records" (until_us);

-- Each value stands for so many fencing tokens; only session locks need it.
CREATE SEQUENCE IF NOT EXISTS "bedrock_tokens" AS bigint START WITH 65536 INCREMENT BY 65536;
