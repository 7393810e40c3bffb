import { InvalidOptionError } from '../../../core/errors.js';
import { checkFields, checkObject } from '../../../core/checks.js';
import {
  DEFAULT_MAX_SESSION_LEASE_MS,
  resolveSqlOptions,
  SQL_FIELDS,
  type SqlOptions,
  type SqlSettings,
} from '../sql-options.js';
import { MYSQL_SETTINGS, type ConnectionOptions } from './connection/client.js';

/** Where the server is: one of the two. */
export interface MysqlLocation {
  /** `mysql://user:password@host:3306/database`, with further parameters of mysql2. */
  readonly url?: string;
  /** Options of a connection, as mysql2 has them. */
  readonly connection?: ConnectionOptions;
}

export interface MysqlOptions extends MysqlLocation, SqlOptions {}

/** A session has one connection and no tables. */
export type MysqlSessionOptions = MysqlLocation &
  Omit<SqlOptions, 'connections' | 'keepRowsMs' | 'tablePrefix'>;

/** Transactions are on connections of the caller's: the own one is for making rows. */
export type MysqlTransactionOptions = MysqlLocation &
  Pick<SqlOptions, 'operationTimeoutMs' | 'tablePrefix' | 'clock'>;

/** The checked options. */
export interface MysqlSettings extends SqlSettings {
  readonly connection: ConnectionOptions;
}

const LOCATION_FIELDS: readonly (keyof MysqlLocation)[] = ['url', 'connection'];
const FIELDS: ReadonlySet<string> = new Set([...LOCATION_FIELDS, ...SQL_FIELDS]);
const SESSION_FIELDS: ReadonlySet<string> = new Set<keyof MysqlSessionOptions>([
  ...LOCATION_FIELDS,
  ...(['label', 'operationTimeoutMs', 'maxLeaseMs', 'clock'] as const),
]);
const TRANSACTION_FIELDS: ReadonlySet<string> = new Set<keyof MysqlTransactionOptions>([
  ...LOCATION_FIELDS,
  ...(['operationTimeoutMs', 'tablePrefix', 'clock'] as const),
]);
/** Set by Bedrock for each connection. */
const OWN_SETTINGS: ReadonlySet<string> = new Set([
  ...Object.keys(MYSQL_SETTINGS),
  ...['connectTimeout', 'uri', 'timezone'],
]);

/** Checks what was given to `mysql()`. Nothing is connected. @throws InvalidOptionError naming the field */
export function resolveMysqlOptions(given: string | MysqlOptions): MysqlSettings {
  return resolve(given, FIELDS);
}

/** Checks what was given to `mysqlSessions()`. @throws InvalidOptionError naming the field */
export function resolveSessionOptions(given: string | MysqlSessionOptions): MysqlSettings {
  return resolve(given, SESSION_FIELDS, DEFAULT_MAX_SESSION_LEASE_MS);
}

/** Checks what was given to `mysqlTransactionLocks()`. @throws InvalidOptionError naming the field */
export function resolveTransactionOptions(given: string | MysqlTransactionOptions): MysqlSettings {
  return resolve(given, TRANSACTION_FIELDS);
}

function resolve(
  given: string | MysqlOptions,
  fields: ReadonlySet<string>,
  defaultMaxLeaseMs?: number,
): MysqlSettings {
  const options: MysqlOptions = typeof given === 'string' ? { url: given } : given;
  checkFields('options', options, fields);
  return Object.freeze({
    ...resolveSqlOptions(options, defaultMaxLeaseMs),
    connection: connectionOf(options),
  });
}

function connectionOf(options: MysqlLocation): ConnectionOptions {
  const { url, connection } = options;
  if ((url === undefined) === (connection === undefined))
    throw new InvalidOptionError('options', 'given either a url or a connection', options);
  if (url !== undefined) return { uri: checkUrl(url) };
  checkObject('connection', connection);
  for (const field of Object.keys(connection!)) refuseOwn(`connection.${field}`, field);
  return { ...connection };
}

// Never shows the URL in an error: it may contain a password.
function checkUrl(url: unknown): string {
  if (typeof url !== 'string') throw new InvalidOptionError('url', 'a string', typeof url);
  const { protocol, searchParams } = new URL(URL.canParse(url) ? url : 'none:');
  if (!/^(?:mysql|mariadb):$/.test(protocol)) {
    const shown = URL.canParse(url) ? `${protocol.slice(0, 10)}…` : 'no URL';
    throw new InvalidOptionError('url', 'mysql://user:password@host:port/database', shown);
  }
  for (const field of searchParams.keys()) refuseOwn(`url?${field}`, field);
  return url;
}

function refuseOwn(path: string, field: string): void {
  if (OWN_SETTINGS.has(field))
    throw new InvalidOptionError(path, 'left out, since Bedrock sets it', 'a value');
}
