import type { Connection, ConnectionOptions } from 'mysql2';
import { notExecuted } from './failures.js';

export type { Connection, ConnectionOptions };

/**
 * What Bedrock needs of its own connections, whatever the user's are like: one statement in one
 * call, numbers as numbers, and texts in UTF-8.
 */
export const MYSQL_SETTINGS = {
  multipleStatements: false,
  namedPlaceholders: false,
  rowsAsArray: false,
  nestTables: false,
  typeCast: true,
  supportBigNumbers: false,
  bigNumberStrings: false,
  decimalNumbers: true,
  dateStrings: true,
  charset: 'utf8mb4_bin',
  flags: [],
  enableKeepAlive: true,
} satisfies ConnectionOptions;

/** A connection of mysql2 as it is installed, which has begun to connect. @throws BackendUnavailableError */
export async function connectMysql(options: ConnectionOptions): Promise<Connection> {
  const { createConnection } = await import('mysql2').catch((error: unknown) => {
    throw notExecuted('mysql2 cannot be loaded: install it', error);
  });
  return createConnection({ ...options, ...MYSQL_SETTINGS });
}
