import { randomUuid, type Clock } from '../../../core/clock.js';
import type { AdminDriver } from '../../../core/ports/admin.js';
import type { Backend, Traits } from '../../../core/ports/ports.js';
import { Suspicion } from '../../kit/suspicion.js';
import { LinkPool } from '../connection/link-pool.js';
import type { SqlLinkFactory } from '../connection/link.js';
import { MIN_LEASE_MS, type SqlSettings } from '../sql-options.js';
import { SessionAdmin, type ServerLocks } from './session-admin.js';
import type { SessionLeases } from './session-leases.js';

export interface SessionLockBackendDeps {
  readonly name: string;
  readonly settings: SqlSettings;
  readonly traits: Pick<Traits, 'shared' | 'fencing'>;
  readonly leases: SessionLeases;
  readonly serverLocks: ServerLocks;
  /** For the one more connection that lists need. */
  readonly links: SqlLinkFactory;
  readonly session: { readonly commands: number; close(): void };
  /** A round trip on the session. @throws BackendUnavailableError */
  readonly ping: () => Promise<unknown>;
}

/** Locks that live as long as the one session of a process. */
export abstract class SessionLockBackend implements Backend {
  readonly name: string;
  readonly traits: Traits;
  readonly leases: SessionLeases;
  readonly admin: AdminDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  protected readonly clock: Clock;
  readonly #deps: SessionLockBackendDeps;
  readonly #listing: LinkPool;
  readonly #suspicion = new Suspicion();
  readonly onSuspect = this.#suspicion.onSuspect;

  constructor(deps: SessionLockBackendDeps) {
    const { name, settings, traits, leases } = deps;
    const { clock, operationTimeoutMs, maxLeaseMs } = settings;
    this.name = name;
    this.leases = leases;
    this.processId = randomUuid(clock);
    this.operationTimeoutMs = operationTimeoutMs;
    this.clock = clock;
    this.#deps = deps;
    this.#listing = new LinkPool(deps.links, name, { clock, operationTimeoutMs, size: 1 });
    this.admin = new SessionAdmin({
      inspect: (resource) => leases.inspect(resource),
      serverLocks: deps.serverLocks,
      ask: (text, values = []) =>
        this.#listing.run({ name: '', text, values }, clock.now() + operationTimeoutMs),
    });
    this.traits = Object.freeze({
      fifo: false,
      weighted: false,
      push: false,
      holdAtLeast: false,
      inProcess: false,
      minLeaseMs: MIN_LEASE_MS,
      maxLeaseMs,
      lifetime: 'session',
      ...traits,
    });
  }

  get commands(): number {
    return this.#deps.session.commands + this.#listing.commands;
  }

  abstract ready(): Promise<void>;

  async ping(): Promise<number> {
    const sentAt = this.clock.now();
    await this.#deps.ping();
    return this.clock.now() - sentAt;
  }

  async close(): Promise<void> {
    this.leases.close();
    this.#deps.session.close();
    this.#listing.close();
  }

  /** All locks are gone with the session: the engine is to notice now, and not at the next renewal. */
  protected sessionEnded(): void {
    const { isHolding } = this.leases;
    this.leases.clear();
    if (isHolding) this.#suspicion.report(undefined);
  }
}
