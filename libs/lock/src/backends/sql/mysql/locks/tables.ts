/** The names of the tables, with the checked prefix. */
export interface MysqlTableNames {
  readonly locks: string;
  readonly processes: string;
  readonly turns: string;
  readonly records: string;
}

export function tableNamesOf(prefix: string): MysqlTableNames {
  return {
    locks: `${prefix}locks`,
    processes: `${prefix}processes`,
    turns: `${prefix}turns`,
    records: `${prefix}records`,
  };
}

/**
 * Names of resources are bytes: the server neither folds letters nor ignores spaces at the end, and
 * 512 characters need 1,536 of them at most. Times are whole µs since 1970.
 */
export function schemaOf({ locks, processes, turns, records }: MysqlTableNames): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${locks} (
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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`,
    `CREATE TABLE IF NOT EXISTS ${processes} (
  id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  host VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  pid BIGINT NOT NULL,
  label VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  seen_us BIGINT NOT NULL
) ENGINE = InnoDB`,
    `CREATE TABLE IF NOT EXISTS ${turns} (
  resource VARBINARY(1536) NOT NULL PRIMARY KEY
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`,
    `CREATE TABLE IF NOT EXISTS ${records} (
  resource VARBINARY(1536) NOT NULL PRIMARY KEY,
  owner VARBINARY(255) NOT NULL,
  print VARBINARY(1536) NOT NULL,
  result LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  until_us BIGINT NOT NULL,
  KEY until_us (until_us)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`,
  ];
}
