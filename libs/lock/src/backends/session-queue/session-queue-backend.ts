import type { Clock } from '../../core/clock.js';
import type { AdminDriver } from '../../core/ports/admin.js';
import type { Backend, Traits } from '../../core/ports/ports.js';
import { NamedAdmin, type LockNames } from '../kit/named-admin.js';
import { Suspicion } from '../kit/suspicion.js';
import { QueueLeases } from './queue-leases.js';
import type { QueueStore } from './queue-store.js';
import { MIN_LEASE_MS, type SessionQueueSettings } from './session-queue-options.js';

export interface SessionQueueBackendDeps {
  readonly name: string;
  readonly settings: SessionQueueSettings;
  readonly processId: string;
  readonly store: QueueStore;
  /** Where the server counts too; closed with the leases, before the sessions end. */
  readonly counting?: { close(timeoutMs: number): Promise<void> };
}

/** Locks on a server that has sessions, and an ordered queue for each resource. */
export abstract class SessionQueueBackend implements Backend {
  readonly name: string;
  readonly traits: Traits;
  readonly leases: QueueLeases;
  readonly admin: AdminDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly onSuspect: Backend['onSuspect'];
  protected readonly clock: Clock;
  readonly #deps: SessionQueueBackendDeps;
  #closed: Promise<void> | undefined;

  constructor(deps: SessionQueueBackendDeps) {
    const { name, settings, processId, store } = deps;
    const { clock, operationTimeoutMs, maxLeaseMs } = settings;
    this.name = name;
    this.processId = processId;
    this.operationTimeoutMs = operationTimeoutMs;
    this.clock = clock;
    this.#deps = deps;
    this.traits = Object.freeze({
      fifo: true,
      shared: true,
      weighted: true,
      fencing: true,
      push: true,
      holdAtLeast: false,
      inProcess: false,
      minLeaseMs: MIN_LEASE_MS,
      maxLeaseMs,
      lifetime: 'session',
    });
    const { onSuspect, report } = new Suspicion();
    this.onSuspect = onSuspect;
    this.leases = new QueueLeases({ name, clock, store, operationTimeoutMs, maxLeaseMs }, report);
    const locks: LockNames = {
      names: (request) => store.names(request),
      find: (resource) => this.leases.find(resource),
    };
    this.admin = new NamedAdmin(locks, clock);
  }

  abstract get commands(): number;

  abstract ready(): Promise<void>;

  async ping(): Promise<number> {
    const sentAt = this.clock.now();
    await this.#deps.store.ping();
    return this.clock.now() - sentAt;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  protected get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  async #close(): Promise<void> {
    const { store, counting } = this.#deps;
    const { operationTimeoutMs } = this;
    await Promise.all([this.leases.close(operationTimeoutMs), counting?.close(operationTimeoutMs)]);
    await store.close();
  }
}
