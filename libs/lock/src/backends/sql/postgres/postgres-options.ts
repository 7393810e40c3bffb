import type { ClientConfig } from 'pg';
import { checkBoolean, checkFields, checkObject } from '../../../core/checks.js';
import { InvalidOptionError } from '../../../core/errors.js';
import {
  checkIdentifier,
  resolveSqlOptions,
  SQL_FIELDS,
  type SqlOptions,
  type SqlSettings,
} from '../sql-options.js';
import type { PgLocation } from './pg-link.js';

export interface PostgresOptions extends SqlOptions {
  /** `postgres://user:password@host:5432/database`. */
  readonly url?: string;
  /** More settings of the `pg` client: host, TLS, a function that gives the password, … */
  readonly connection?: ClientConfig;
  /** Schema of the tables. @default the first of the search path */
  readonly schema?: string;
  /**
   * The address is that of a pooler that gives each transaction another connection (PgBouncer with
   * `pool_mode = transaction`): no prepared statements, no settings of a session, and no wakes:
   * waiters ask again after 20 to 200 ms.
   * @default false
   */
  readonly throughPooler?: boolean;
}

/** The checked options. */
export interface PostgresSettings extends SqlSettings, PgLocation {
  readonly schema: string | undefined;
}

const FIELDS: ReadonlySet<string> = new Set<string>([
  ...SQL_FIELDS,
  ...(['url', 'connection', 'schema', 'throughPooler'] satisfies (keyof PostgresOptions)[]),
]);
/** Bedrock bounds its calls itself, and keeps one statement in flight on a connection. */
const OURS = ['statement_timeout', 'query_timeout', 'lock_timeout', 'connectionTimeoutMillis', 'pipeline', 'binary', 'types', 'connectionString'] as const; // prettier-ignore
const MAX_SCHEMA_LENGTH = 63;

/** Checks what was given to `postgres()`. Nothing is connected. @throws InvalidOptionError naming the field */
export function resolvePostgresOptions(
  given: string | PostgresOptions,
  defaultMaxLeaseMs?: number,
): PostgresSettings {
  const options: PostgresOptions = typeof given === 'string' ? { url: given } : given;
  checkFields('options', options, FIELDS);
  const { url, schema, throughPooler = false } = options;
  return Object.freeze({
    ...resolveSqlOptions(options, defaultMaxLeaseMs),
    connection: resolveConnection(url, options.connection),
    throughPooler: checkBoolean('throughPooler', throughPooler),
    schema: schema === undefined ? undefined : checkIdentifier('schema', schema, MAX_SCHEMA_LENGTH),
  });
}

/** Where to connect. @throws InvalidOptionError naming the field */
export function resolveConnection(url: unknown, connection: ClientConfig | undefined): ClientConfig {
  if (url === undefined && connection === undefined) {
    throw new InvalidOptionError('url', 'given, or a connection', url);
  }
  if (url !== undefined) checkUrl(url);
  if (connection !== undefined) checkConnection(connection);
  return {
    application_name: 'bedrock',
    ...connection,
    ...(url !== undefined && { connectionString: url as string }),
  };
}

// Never shows the URL in an error: it may contain a password.
function checkUrl(url: unknown): void {
  if (typeof url !== 'string') throw new InvalidOptionError('url', 'a string', url);
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    const shown = `${url.split(':', 1)[0]!.slice(0, 10)}…`;
    throw new InvalidOptionError('url', 'postgres://user:password@host:port/database', shown);
  }
}

function checkConnection(connection: ClientConfig): void {
  checkObject('connection', connection);
  const given: Readonly<Partial<Record<string, unknown>>> = { ...connection };
  for (const field of OURS) {
    if (given[field] === undefined) continue;
    throw new InvalidOptionError(`connection.${field}`, 'left out, since Bedrock sets it', 'a value');
  }
}
