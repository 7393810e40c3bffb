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
import { LineLeases } from '../line-leases.js';
import { ClientLink } from './connection/client-link.js';
import { ZooKeeperCounting } from './counters/zookeeper-counters.js';
import { BACKEND } from './connection/failures.js';
import { Paths } from './session/paths.js';
import {
  MIN_LEASE_MS,
  resolveZooKeeperOptions,
  type ZooKeeperOptions,
  type ZooKeeperTerms,
} from './zookeeper-options.js';
import type { ZooKeeperSession } from './session/zookeeper-session.js';
import { ZooKeeperSessions } from './session/zookeeper-sessions.js';
import { ZooKeeperStore } from './queue/zookeeper-store.js';

/** `ready()` waits this many times `operationTimeoutMs`: a server that is just starting is worth waiting for. */
const READY_PATIENCE = 5;

/**
 * Locks on ZooKeeper 3.5 or later: ephemeral sequential nodes, one line per resource, served in order of arrival. Connections
 * of its own are opened at `ready()` or at the first call, one for each class of lease lengths in use.
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
  readonly #leases: LineLeases;
  readonly #store: ZooKeeperStore;
  readonly #sessions: ZooKeeperSessions;
  readonly #counting: ZooKeeperCounting;
  readonly #doubts = new Set<(resource: string | undefined) => void>();
  #commands = 0;
  #closed: Promise<void> | undefined;

  readonly #terms: ZooKeeperTerms;

  constructor(terms: ZooKeeperTerms) {
    this.#terms = terms;
    const { clock, operationTimeoutMs, maxLeaseMs, root, label } = terms;
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
    const paths = new Paths(root);
    this.#sessions = new ZooKeeperSessions({
      paths,
      processId: this.processId,
      maxLeaseMs,
      operationTimeoutMs,
      openLink: (sessionTimeoutMs, news) =>
        new ClientLink({ ...terms, sessionTimeoutMs, news, onSent: () => (this.#commands += 1) }),
      onLost: (session) => {
        this.#leases.lost(session);
        this.#counting.regained();
      },
      onSuspended: (session) => this.#store.suspended(session),
      onRegained: () => {
        this.#leases.regained();
        this.#counting.regained();
      },
    });
    this.#store = new ZooKeeperStore({
      paths,
      sessions: this.#sessions,
      clock,
      process: { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) },
      onTouched: (resource) => this.#leases.touched(resource),
    });
    const ground = { name: BACKEND, clock, store: this.#store, operationTimeoutMs, maxLeaseMs };
    this.#leases = new LineLeases(ground, (resource) => this.#doubt(resource));
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
    await this.#sessions.any(this.operationTimeoutMs * READY_PATIENCE);
  }

  async ping(): Promise<number> {
    const { clock } = this.#terms;
    const sentAt = clock.now();
    await this.#store.ping();
    return clock.now() - sentAt;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    this.#doubts.add(listener);
    return () => void this.#doubts.delete(listener);
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

  #doubt(resource: string | undefined): void {
    for (const listener of this.#doubts) listener(resource);
  }
}
