import { hostname } from 'node:os';
import { randomUuid } from '../../../core/clock.js';
import type {
  Backend,
  CounterDriver,
  LeaseDriver,
  PermitDriver,
  Traits,
  Unsubscribe,
} from '../../../core/ports/ports.js';
import { QueueLeases } from '../queue-leases.js';
import { ClientLink } from './connection/client-link.js';
import { ZooKeeperCounting } from './counters/zookeeper-counting.js';
import { BACKEND } from './connection/failures.js';
import { ZooKeeperPaths } from './session/zookeeper-paths.js';
import {
  MIN_LEASE_MS,
  resolveZooKeeperOptions,
  type ZooKeeperOptions,
  type ZooKeeperSettings,
} from './zookeeper-options.js';
import type { ZooKeeperSession } from './session/zookeeper-session.js';
import { ZooKeeperSessions } from './session/zookeeper-sessions.js';
import { ZooKeeperQueueStore } from './queue/zookeeper-queue-store.js';

/** `ready()` waits this many times `operationTimeoutMs`: a server that is just starting is worth waiting for. */
const READY_TIMEOUTS = 5;

/**
 * Locks on ZooKeeper 3.5 or later: ephemeral sequential nodes, one queue per resource, served in
 * order of arrival. Connections of its own are opened at `ready()` or at the first call, one for
 * each class of lease lengths in use.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function zookeeper(options: string | ZooKeeperOptions): Backend {
  return new ZooKeeperBackend(resolveZooKeeperOptions(options));
}

class ZooKeeperBackend implements Backend {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: LeaseDriver;
  readonly counters: CounterDriver;
  readonly permits: PermitDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly #leases: QueueLeases;
  readonly #store: ZooKeeperQueueStore;
  readonly #sessions: ZooKeeperSessions;
  readonly #counting: ZooKeeperCounting;
  readonly #suspectListeners = new Set<(resource: string | undefined) => void>();
  #commands = 0;
  #closed: Promise<void> | undefined;

  readonly #settings: ZooKeeperSettings;

  constructor(settings: ZooKeeperSettings) {
    this.#settings = settings;
    const { clock, operationTimeoutMs, maxLeaseMs, root, label } = settings;
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
    const paths = new ZooKeeperPaths(root);
    this.#sessions = new ZooKeeperSessions({
      paths,
      processId: this.processId,
      maxLeaseMs,
      operationTimeoutMs,
      openLink: (sessionTimeoutMs, listener) =>
        new ClientLink({ ...settings, sessionTimeoutMs, listener, onSent: () => (this.#commands += 1) }),
      onLost: (session) => {
        this.#leases.sessionLost(session);
        this.#counting.reconnected();
      },
      onSuspended: (session) => this.#store.sessionSuspended(session),
      onReconnected: () => {
        this.#leases.reconnected();
        this.#counting.reconnected();
      },
    });
    this.#store = new ZooKeeperQueueStore({
      paths,
      sessions: this.#sessions,
      clock,
      process: { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) },
      onEntryChanged: (resource) => this.#leases.entryChanged(resource),
    });
    const deps = { name: BACKEND, clock, store: this.#store, operationTimeoutMs, maxLeaseMs };
    this.#leases = new QueueLeases(deps, (resource) => this.#reportSuspect(resource));
    this.leases = this.#leases;
    const session = (): Promise<ZooKeeperSession> => this.#sessions.any();
    this.#counting = new ZooKeeperCounting({ paths, clock, operationTimeoutMs, session });
    this.counters = this.#counting.counters;
    this.permits = this.#counting.permits;
  }

  get commands(): number {
    return this.#commands;
  }

  async ready(): Promise<void> {
    await this.#sessions.any(this.operationTimeoutMs * READY_TIMEOUTS);
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
    const { operationTimeoutMs } = this;
    await Promise.all([this.#leases.close(operationTimeoutMs), this.#counting.close(operationTimeoutMs)]);
    await this.#store.close();
  }

  #reportSuspect(resource: string | undefined): void {
    for (const listener of this.#suspectListeners) listener(resource);
  }
}
