import { sleep } from '../../../core/clock.js';
import type { ProcessEntry } from '../../../core/ports/admin.js';
import { ProcessDirectory, type ProcessEntries } from '../../kit/process-directory.js';
import { ownProcessView } from '../../kit/process-view.js';
import { RedisConnection } from '../connection/redis-connection.js';
import { codeOf, notSent } from '../connection/failures.js';
import { processEntries, readProcesses } from '../presence/process-entries.js';
import type { Servers, RedisServerDeps } from '../server/servers.js';
import { ClusterCounters, ClusterPermits } from './cluster-counting.js';
import { ClusterLeases } from './cluster-leases.js';
import { ClusterLockNames } from './cluster-lock-names.js';
import { ClusterRecords } from './cluster-records.js';
import { ClusterNode, linkTargetFor, type ClusterNodeDeps } from './cluster-node.js';
import { ClusterWakeSubscriptions } from './cluster-wake-subscriptions.js';
import { RevocationListener } from './revocation-listener.js';
import { Router } from './router.js';
import type { ClusterLocation } from '../configuration/cluster-location.js';
import type { Address } from '../configuration/slot-map.js';
import { Topology } from './topology.js';

/** Pause before `ready()` checks the masters again, in ms. */
const MASTERS_CHECK_MS = 50;

/**
 * A Redis Cluster: connections to each master. Each verb runs on the server of the resource's slot.
 */
export class ClusterServers implements Servers {
  readonly leases: ClusterLeases;
  readonly counters: ClusterCounters;
  readonly permits: ClusterPermits;
  readonly records: ClusterRecords;
  readonly lockNames: ClusterLockNames;
  readonly #topology: Topology;
  readonly #wakes: ClusterWakeSubscriptions;
  readonly #revocations: RevocationListener;
  readonly #processes: ProcessDirectory;
  readonly #entries: ProcessEntries;
  /** Connections that are opened for a single request. */
  readonly #temporaryConnections = new Set<RedisConnection>();

  constructor(
    private readonly deps: RedisServerDeps,
    private readonly location: ClusterLocation,
  ) {
    const { processId, settings } = deps;
    const { clock, operationTimeoutMs, label } = settings;
    const { seeds, natMap, links } = location;
    this.#topology = new Topology({
      clock,
      graceMs: operationTimeoutMs,
      seeds,
      natMap,
      makeNode: (address, isAsking) => this.#makeNode(address, isAsking),
      fetchSlots: (address) => this.#fetchSlots(address),
      onSlotsRefreshed: () => this.#onSlotsRefreshed(),
    });
    const router = new Router(this.#topology, clock, operationTimeoutMs, natMap);
    this.#wakes = new ClusterWakeSubscriptions(this.#topology, router);
    this.#revocations = new RevocationListener(deps, links);
    this.#entries = processEntries(processId, router.call);
    this.#processes = new ProcessDirectory(processId, ownProcessView(label), this.#entries, clock);
    this.leases = new ClusterLeases(router);
    this.counters = new ClusterCounters(router);
    this.permits = new ClusterPermits(router);
    this.records = new ClusterRecords(router);
    this.lockNames = new ClusterLockNames(this.#topology, router, operationTimeoutMs);
  }

  get commands(): number {
    return this.#topology.commands + this.#revocations.commands;
  }

  start(): void {
    this.#topology.start();
  }

  // Not `untilServing()`: the slots take a part of the time, and each try of the masters is bounded by the rest.
  async whenReady(ms: number): Promise<void> {
    const { clock, operationTimeoutMs } = this.deps.settings;
    const until = clock.now() + ms;
    for (;;) {
      await this.#topology.whenKnown(until - clock.now());
      const leftMs = Math.min(until - clock.now(), operationTimeoutMs);
      try {
        const masters = this.#topology.masters.map(({ connection }) => connection.whenReady(leftMs));
        await Promise.all([...masters, this.#revocations.whenReady(leftMs)]);
        return;
      } catch (error) {
        // An answer of a server is final; a server that is down may be replaced meanwhile.
        if (codeOf((error as Error).cause) !== '' || clock.now() >= until) throw error;
        await sleep(clock, MASTERS_CHECK_MS);
      }
    }
  }

  /** Waits for the slowest master. */
  async ping(): Promise<void> {
    await this.#topology.whenKnown(this.deps.settings.operationTimeoutMs);
    await Promise.all(
      this.#topology.masters.map(async ({ connection }) => {
        await connection.whenServing();
        await connection.calls.call('ping', []);
      }),
    );
  }

  async processes(): Promise<readonly ProcessEntry[]> {
    return readProcesses(this.#entries, await this.lockNames.processIds());
  }

  async close(): Promise<void> {
    await this.#processes.remove().catch(() => undefined);
    this.#wakes.close();
    this.#revocations.close();
    for (const connection of this.#temporaryConnections) connection.close();
    await this.#topology.close();
  }

  #makeNode(address: Address, isAsking: boolean): ClusterNode {
    const { deps, location } = this;
    const own: ClusterNodeDeps = {
      ...deps,
      links: location.links,
      processes: this.#processes,
      wakes: this.#wakes,
      hashTagAt: (at) => this.#topology.hashTagAt(at),
      onSlotsMoved: (node) => void this.#topology.refresh(node),
    };
    return new ClusterNode(address, own, { isAsking, joinedLater: this.#topology.isKnown });
  }

  #onSlotsRefreshed(): void {
    this.#revocations.listenTo(this.#topology.masters);
    this.#wakes.followSlots();
  }

  async #fetchSlots(address: Address): Promise<unknown> {
    const { clock, operationTimeoutMs } = this.deps.settings;
    const link = this.location.links.create(linkTargetFor(address));
    const connection = new RedisConnection(link, clock, this.deps.settings);
    this.#temporaryConnections.add(connection);
    connection.start({ open: () => Promise.resolve() });
    try {
      await connection.whenReady(operationTimeoutMs);
      return await connection.calls.call('cluster', ['slots']);
    } catch (error) {
      const { cause } = error as Error;
      throw isNoCluster(cause) ? notSent(NO_CLUSTER, cause) : error;
    } finally {
      connection.close();
      this.#temporaryConnections.delete(connection);
    }
  }
}

const NO_CLUSTER = 'this Redis is not part of a cluster: give a url, a connection or a client instead';

function isNoCluster(reply: unknown): boolean {
  return reply instanceof Error && reply.message.includes('cluster support disabled');
}
