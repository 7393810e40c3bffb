import { checkFields } from '../../../../core/checks.js';
import { InvalidOptionError } from '../../../../core/errors.js';
import type { Backend } from '../../../../core/ports/ports.js';
import { SessionLockBackend } from '../../session-locks/session-lock-backend.js';
import { DEFAULT_MAX_SESSION_LEASE_MS } from '../../sql-options.js';
import { tableNames } from '../names.js';
import { PgLinkFactory } from '../pg-link.js';
import { resolvePostgresOptions, type PostgresOptions, type PostgresSettings } from '../postgres-options.js';
import { ADVISORY_LOCKS } from './advisory-locks.js';
import { BACKEND, PgSession } from './session.js';
import { PostgresSessionLeases } from './session-leases.js';

/** Those of `postgres()` that mean something for a session. */
export type PostgresSessionOptions = Pick<
  PostgresOptions,
  'url' | 'connection' | 'schema' | 'tablePrefix' | 'operationTimeoutMs' | 'maxLeaseMs' | 'clock'
>;

const FIELDS: ReadonlySet<string> = new Set<keyof PostgresSessionOptions>([
  'url', 'connection', 'schema', 'tablePrefix', 'operationTimeoutMs', 'maxLeaseMs', 'clock',
]); // prettier-ignore

/**
 * Advisory locks of PostgreSQL, all on one session: no tables and no writes. The locks of this
 * process are free as soon as the server sees its connection end. That is also their weakness. A
 * server that ends the session (restart, failover, an administrator) frees the locks at once. A
 * process that is frozen or cut off just then learns of it too late. Use `postgres()` unless that
 * may happen. Never use a pooler that shares sessions.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function postgresSession(options: string | PostgresSessionOptions): Backend {
  if (typeof options !== 'string') checkFields('options', options, FIELDS);
  return new PostgresSessionBackend(resolvePostgresOptions(options, DEFAULT_MAX_SESSION_LEASE_MS));
}

class PostgresSessionBackend extends SessionLockBackend {
  readonly #session: PgSession;

  constructor(settings: PostgresSettings) {
    if (settings.throughPooler)
      throw new InvalidOptionError('throughPooler', 'false for session locks', true);
    const { clock, operationTimeoutMs, schema, tablePrefix } = settings;
    const links = new PgLinkFactory(settings, operationTimeoutMs, clock);
    const sequence = tableNames(schema, tablePrefix).tokens;
    const onEnd = (): void => this.sessionEnded();
    const session = new PgSession({ links, clock, operationTimeoutMs, sequence, onEnd });
    const leases = new PostgresSessionLeases(session, clock);
    const ping = () => session.query('SELECT 1', []);
    super({
      ...{ name: BACKEND, settings, traits: { shared: true, fencing: true } },
      ...{ leases, serverLocks: ADVISORY_LOCKS, links, session, ping },
    });
    this.#session = session;
  }

  /** Also when the sequence of the tokens is there and may be used. */
  async ready(): Promise<void> {
    await this.#session.nextToken(1);
  }
}
