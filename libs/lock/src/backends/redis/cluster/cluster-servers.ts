import { sleep } from '../../../core/clock.js';
import { Connection } from '../connection/connection.js';
import { codeOf, notSent } from '../connection/failures.js';
import { ProcessRows } from '../presence/process-rows.js';
import type { Servers, Site } from '../server/servers.js';
import { ClusterCounters, ClusterPermits } from './cluster-counting.js';
import { ClusterLeases } from './cluster-leases.js';
import { ClusterRecords } from './cluster-records.js';
import { ClusterNode, targetAt, type ClusterSite } from './cluster-node.js';
import { ClusterWakes } from './cluster-wakes.js';
import { Doubts } from './doubts.js';
import { Router } from './router.js';
import type { ClusterPlace } from '../configuration/place.js';
import type { Address } from '../configuration/slot-map.js';
import { Topology } from './topology.js';

/** Pause before `ready()` looks at the masters again, in ms. */
const AGAIN_MS = 50;

/** A Redis Cluster: connections to each master, and every verb on the one that has the slot. */
export class ClusterServers implements Servers {
  readonly leases: ClusterLeases;
  readonly counters: ClusterCounters;
  readonly permits: ClusterPermits;
  readonly records: ClusterRecords;
  readonly #topology: Topology;
  readonly #wakes: ClusterWakes;
  readonly #doubts: Doubts;
  readonly #rows: ProcessRows;
  /** Connections for one question. */
  readonly #strangers = new Set<Connection>();

  constructor(
    private readonly site: Site,
    private readonly place: ClusterPlace,
  ) {
    const { processId, terms } = site;
    const { clock, operationTimeoutMs, label } = terms;
    const { seeds, natMap, links } = place;
    this.#topology = new Topology({
      clock,
      graceMs: operationTimeoutMs,
      seeds,
      natMap,
      makeNode: (address, isAsking) => this.#makeNode(address, isAsking),
      askStranger: (address) => this.#askStranger(address),
      onLooked: () => this.#looked(),
    });
    const router = new Router(this.#topology, clock, operationTimeoutMs, natMap);
    this.#wakes = new ClusterWakes(this.#topology, router);
    this.#doubts = new Doubts(site, links);
    this.#rows = new ProcessRows(processId, label, router.call, clock);
    this.leases = new ClusterLeases(router);
    this.counters = new ClusterCounters(router);
    this.permits = new ClusterPermits(router);
    this.records = new ClusterRecords(router);
  }

  get commands(): number {
    return this.#topology.commands + this.#doubts.commands;
  }

  start(): void {
    this.#topology.start();
  }

  async whenReady(ms: number): Promise<void> {
    const { clock, operationTimeoutMs } = this.site.terms;
    const until = clock.now() + ms;
    for (;;) {
      await this.#topology.whenKnown(until - clock.now());
      const leftMs = Math.min(until - clock.now(), operationTimeoutMs);
      try {
        const masters = this.#topology.masters.map(({ connection }) => connection.whenReady(leftMs));
        await Promise.all([...masters, this.#doubts.whenReady(leftMs)]);
        return;
      } catch (error) {
        // What a server answered stands; one that is down may be replaced meanwhile.
        if (codeOf((error as Error).cause) !== '' || clock.now() >= until) throw error;
        await sleep(clock, AGAIN_MS);
      }
    }
  }

  /** The slowest master counts. */
  async ping(): Promise<void> {
    await this.#topology.whenKnown(this.site.terms.operationTimeoutMs);
    await Promise.all(
      this.#topology.masters.map(async ({ connection }) => {
        await connection.whenServing();
        await connection.call('ping', []);
      }),
    );
  }

  async close(): Promise<void> {
    await this.#rows.erase().catch(() => undefined);
    this.#wakes.close();
    this.#doubts.close();
    for (const connection of this.#strangers) connection.close();
    await this.#topology.close();
  }

  #makeNode(address: Address, isAsking: boolean): ClusterNode {
    const { site, place } = this;
    const own: ClusterSite = {
      ...site,
      links: place.links,
      rows: this.#rows,
      wakes: this.#wakes,
      tagAt: (at) => this.#topology.tagAt(at),
      onAstray: (node) => void this.#topology.look(node),
    };
    return new ClusterNode(address, own, { isAsking, isLate: this.#topology.isKnown });
  }

  #looked(): void {
    this.#doubts.listenTo(this.#topology.masters);
    this.#wakes.check();
  }

  async #askStranger(address: Address): Promise<unknown> {
    const { clock, operationTimeoutMs } = this.site.terms;
    const link = this.place.links.create(targetAt(address));
    const connection = new Connection(link, clock, this.site.terms);
    this.#strangers.add(connection);
    connection.start({ open: () => Promise.resolve() });
    try {
      await connection.whenReady(operationTimeoutMs);
      return await connection.call('cluster', ['slots']);
    } catch (error) {
      const { cause } = error as Error;
      throw isNoCluster(cause) ? notSent(NO_CLUSTER, cause) : error;
    } finally {
      connection.close();
      this.#strangers.delete(connection);
    }
  }
}

const NO_CLUSTER = 'this Redis is not part of a cluster: give a url, a connection or a client instead';

function isNoCluster(reply: unknown): boolean {
  return reply instanceof Error && reply.message.includes('cluster support disabled');
}
