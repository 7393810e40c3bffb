-- The tables of bedrock-lock/mysql with the prefix "bedrock_": MySQL 8.0 or later, MariaDB 10.6 or later.
-- The same as ensureSchema() makes. Leases need "locks" and "processes", locks of transactions need "turns",
-- idempotency needs "records".
CREATE TABLE IF NOT EXISTS bedrock_locks (
  resource VARBINARY(1536) NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL,
  holder VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  until_us BIGINT NOT NULL,
  units INT NOT NULL,
  depth INT NOT NULL,
  revoked TINYINT NOT NULL,
  token BIGINT NOT NULL,
  ends_us BIGINT NOT NULL,
  crowd LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  line LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE TABLE IF NOT EXISTS bedrock_processes (
  id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  host VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  pid BIGINT NOT NULL,
  label VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  seen_us BIGINT NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS bedrock_turns (
  resource VARBINARY(1536) NOT NULL PRIMARY KEY
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE TABLE IF NOT EXISTS bedrock_records (
  resource VARBINARY(1536) NOT NULL PRIMARY KEY,
  owner VARBINARY(255) NOT NULL,
  print VARBINARY(1536) NOT NULL,
  result LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  until_us BIGINT NOT NULL,
  KEY until_us (until_us)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
