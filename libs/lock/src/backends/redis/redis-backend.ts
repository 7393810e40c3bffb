import type { ClaimRef } from '../../core/claim.js';
import { randomUuid, type Clock } from '../../core/clock.js';
import { UnsupportedByBackendError } from '../../core/errors.js';
import type { AdminDriver } from '../../core/ports/admin.js';
import type { LockNode, NodeOptions } from '../../core/ports/ports.js';
import type {
  Backend,
  CounterDriver,
  LeaseDriver,
  PermitDriver,
  RecordDriver,
  Traits,
} from '../../core/ports/ports.js';
import { READY_TIMEOUTS } from '../../runtime/until-serving.js';
import { NamedAdmin } from '../kit/named-admin.js';
import { Suspicion } from '../kit/suspicion.js';
import type { RedisClient } from './configuration/clients.js';
import { ClusterServers } from './cluster/cluster-servers.js';
import { BACKEND } from './connection/failures.js';
import {
  MIN_LEASE_MS,
  resolveRedisOptions,
  type RedisOptions,
  type RedisSettings,
} from './configuration/redis-options.js';
import type { Servers } from './server/servers.js';
import { SingleServer } from './server/single-server.js';

/**
 * Locks on one Redis (or the primary behind Sentinels) or on a Redis Cluster. They are shared with
 * Redisson clients that use the same names. The backend opens its own connections at `ready()` or
 * at the first call, two for each server.
 * @throws InvalidOptionError naming the field; nothing is sent
 */
export function redis(options: string | RedisClient | RedisOptions): Backend {
  return new RedisBackend(resolveRedisOptions(options));
}

/** `redis()` on checked settings. */
export class RedisBackend implements LockNode {
  readonly name = BACKEND;
  readonly traits: Traits;
  readonly leases: LeaseDriver;
  readonly counters: CounterDriver;
  readonly permits: PermitDriver;
  readonly records: RecordDriver;
  readonly admin: AdminDriver;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly id: string;
  readonly #servers: Servers;
  readonly #single: SingleServer | undefined;
  readonly #clock: Clock;
  readonly #settings: RedisSettings;
  readonly #suspicion = new Suspicion();
  #closed: Promise<void> | undefined;

  readonly onSuspect = this.#suspicion.onSuspect;

  constructor(settings: RedisSettings, node?: NodeOptions) {
    this.#settings = settings;
    const { clock, operationTimeoutMs, maxLeaseMs } = settings;
    this.#clock = clock;
    this.operationTimeoutMs = operationTimeoutMs;
    this.processId = node?.processId ?? randomUuid(clock);
    this.traits = Object.freeze({
      fifo: true,
      shared: true,
      weighted: true,
      fencing: true,
      push: true,
      holdAtLeast: true,
      inProcess: false,
      minLeaseMs: MIN_LEASE_MS,
      maxLeaseMs,
      lifetime: 'lease',
    });
    const onSuspect = this.#suspicion.report;
    const onServing = node && ((run: string): void => node.onServing(run));
    const deps = { settings, processId: this.processId, onSuspect, ...(onServing && { onServing }) };
    this.#single = settings.cluster === undefined ? new SingleServer(deps) : undefined;
    this.#servers = this.#single ?? new ClusterServers(deps, settings.cluster!);
    const { leases, counters, permits, records } = this.#servers;
    this.admin = new NamedAdmin(this.#servers.lockNames, clock, () => this.#servers.processes());
    this.id = settings.nodeId;
    this.leases = leases;
    this.counters = counters;
    this.permits = permits;
    this.records = records;
  }

  get commands(): number {
    return this.#servers.commands;
  }

  async ready(): Promise<void> {
    this.#servers.start();
    await this.#servers.whenReady(this.#settings.silenceMs * READY_TIMEOUTS);
  }

  async ping(): Promise<number> {
    this.#servers.start();
    const sentAt = this.#clock.now();
    await this.#servers.ping();
    return this.#clock.now() - sentAt;
  }

  raiseToken(ref: ClaimRef, token: number): Promise<'raised' | 'lost'> {
    // Only a combination raises tokens, and its nodes are single servers.
    return this.#single!.raiseToken(ref, token);
  }

  /** @throws UnsupportedByBackendError for a cluster, which does not fail as one node */
  asNode(node: NodeOptions): LockNode {
    const settings = this.#settings;
    if (settings.cluster !== undefined) {
      throw new UnsupportedByBackendError(
        BACKEND,
        'a cluster as a node of a combination',
        'name its servers',
      );
    }
    const { clock, operationTimeoutMs, maxLeaseMs, coldStart } = node;
    const own = { clock, operationTimeoutMs, maxLeaseMs, coldStart, restartGuard: true };
    return new RedisBackend(Object.freeze({ ...settings, ...own }), node);
  }

  close(): Promise<void> {
    this.#closed ??= this.#servers.close();
    return this.#closed;
  }
}
