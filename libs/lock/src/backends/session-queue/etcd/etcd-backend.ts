import { hostname } from 'node:os';
import { randomUuid } from '../../../core/clock.js';
import type { Backend, LeaseDriver, Traits, Unsubscribe } from '../../../core/ports/ports.js';
import { untilServing } from '../../../runtime/until-serving.js';
import { QueueLeases } from '../queue-leases.js';
import { EtcdQueueStore } from './queue/etcd-queue-store.js';
import { EtcdLink } from './connection/etcd-link.js';
import { MIN_LEASE_MS, resolveEtcdOptions, type EtcdOptions, type EtcdSettings } from './etcd-options.js';
import { BACKEND, fateOf } from './connection/failures.js';
import { EtcdKeys } from './session/etcd-keys.js';
import { checkVersion } from './connection/server-version.js';

/**
 * Locks on etcd 3.4 or later: a key for each entry in the queue, on the lease of its process,
 * served in order of arrival. One connection of its own is opened at `ready()` or at the first
 * call.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function etcd(options: string | EtcdOptions): Backend {
  return new EtcdBackend(resolveEtcdOptions(options));
}

class EtcdBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: LeaseDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly #link: EtcdLink;
  readonly #store: EtcdQueueStore;
  readonly #leases: QueueLeases;
  readonly #suspectListeners = new Set<(resource: string | undefined) => void>();
  #closed: Promise<void> | undefined;

  readonly #settings: EtcdSettings;

  constructor(settings: EtcdSettings) {
    this.#settings = settings;
    const { clock, operationTimeoutMs, maxLeaseMs, prefix, label } = settings;
    this.operationTimeoutMs = operationTimeoutMs;
    this.processId = randomUuid(clock);
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
    this.#link = new EtcdLink(settings);
    this.#store = new EtcdQueueStore(
      {
        link: this.#link,
        keys: new EtcdKeys(prefix),
        clock,
        maxLeaseMs,
        process: { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) },
      },
      {
        sessionLost: (session) => this.#leases.sessionLost(session),
        reconnected: () => this.#leases.reconnected(),
        entryChanged: (resource) => this.#leases.entryChanged(resource),
      },
    );
    const deps = { name: BACKEND, clock, store: this.#store, operationTimeoutMs, maxLeaseMs };
    this.#leases = new QueueLeases(deps, (resource) => this.#reportSuspect(resource));
    this.leases = this.#leases;
  }

  get commands(): number {
    return this.#link.commands;
  }

  async ready(): Promise<void> {
    const { operationTimeoutMs } = this;
    const { clock } = this.#settings;
    // What a member refuses, it will refuse again.
    const isFinal = (error: unknown): boolean =>
      this.#closed !== undefined || fateOf((error as Error).cause) === 'refused';
    await untilServing({ clock, operationTimeoutMs, isFinal }, () => this.#store.ping());
    // Who may not ask for the version is served all the same.
    const version = await this.#link.version(this.#link.deadline()).catch(() => undefined);
    if (version !== undefined) checkVersion(version);
  }

  async ping(): Promise<number> {
    const { clock } = this.#settings;
    const sentAt = clock.now();
    await this.#store.ping();
    return clock.now() - sentAt;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    this.#suspectListeners.add(listener);
    return () => void this.#suspectListeners.delete(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await this.#leases.close(this.operationTimeoutMs);
    await this.#store.close();
  }

  #reportSuspect(resource: string | undefined): void {
    for (const listener of this.#suspectListeners) listener(resource);
  }
}
