import { checkFields } from '../../../../core/checks.js';
import { randomUuid, systemClock, type Clock } from '../../../../core/clock.js';
import { InvalidOptionError } from '../../../../core/errors.js';
import type { Backend, Traits, Unsubscribe } from '../../../../core/ports/ports.js';
import { tableNames } from '../names.js';
import { PgLinkFactory } from '../pg-link.js';
import { DEFAULT_MAX_SESSION_LEASE_MS } from '../../sql-options.js';
import { resolvePostgresOptions, type PostgresOptions, type PostgresSettings } from '../postgres-options.js';
import { PgSession } from './session.js';
import { PostgresSessionLeases } from './session-leases.js';

const BACKEND = 'postgres session';

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

class PostgresSessionBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: PostgresSessionLeases;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly #session: PgSession;
  readonly #clock: Clock;
  readonly #suspectListeners = new Set<(resource: string | undefined) => void>();

  constructor({ clock = systemClock, ...settings }: PostgresSettings) {
    if (settings.throughPooler)
      throw new InvalidOptionError('throughPooler', 'false for session locks', true);
    const { operationTimeoutMs, maxLeaseMs, schema, tablePrefix } = settings;
    this.#clock = clock;
    this.operationTimeoutMs = operationTimeoutMs;
    this.processId = randomUuid(clock);
    this.traits = Object.freeze({
      fifo: false,
      shared: true,
      weighted: false,
      fencing: true,
      push: false,
      holdAtLeast: false,
      inProcess: false,
      minLeaseMs: 50,
      maxLeaseMs,
      lifetime: 'session',
    });
    const links = new PgLinkFactory(settings, operationTimeoutMs, clock);
    const sequence = tableNames(schema, tablePrefix).tokens;
    this.#session = new PgSession({ links, clock, operationTimeoutMs, sequence });
    this.leases = new PostgresSessionLeases(this.#session, clock, (resource) => {
      for (const listener of this.#suspectListeners) listener(resource);
    });
  }

  get commands(): number {
    return this.#session.commands;
  }

  /** Also when the sequence of the tokens is there and may be used. */
  async ready(): Promise<void> {
    await this.#session.nextToken(1);
  }

  async ping(): Promise<number> {
    const sentAt = this.#clock.now();
    await this.#session.query('SELECT 1', []);
    return this.#clock.now() - sentAt;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    this.#suspectListeners.add(listener);
    return () => void this.#suspectListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.leases.close();
    this.#session.close();
  }
}
