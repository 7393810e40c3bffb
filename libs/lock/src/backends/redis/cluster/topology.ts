import type { Clock, Timer } from '../../../core/clock.js';
import { Backoff } from '../../../runtime/backoff.js';
import { Readiness } from '../../kit/readiness.js';
import { isFinal } from '../connection/redis-connection.js';
import { codeOf, notSent, notServing } from '../connection/failures.js';
import type { ClusterNode } from './cluster-node.js';
import { hashTagFor } from '../protocol/slot.js';
import { parseSlots, SlotMap, type Address, type NatMap } from '../configuration/slot-map.js';

/** Pause between two refreshes while the topology is incomplete, in ms; it doubles each time. */
const REFRESH_MS = { first: 100, longest: 500 };
/** Servers asked at the same time; the first good answer counts. */
const REQUESTS_AT_ONCE = 3;

export interface TopologyDeps {
  readonly clock: Clock;
  /**
   * A server that lost its slots keeps its connections this long, in ms: answers may be in flight.
   */
  readonly graceMs: number;
  readonly seeds: readonly Address[];
  readonly natMap: NatMap | undefined;
  /**
   * Makes the connections to a server. @param isAsking for requests about slots that are moving to
   * it
   */
  readonly makeNode: (address: Address, isAsking: boolean) => ClusterNode;
  /** CLUSTER SLOTS, sent on a temporary connection. */
  readonly fetchSlots: (address: Address) => Promise<unknown>;
  /** The slot map was read, or a redirection changed it. */
  readonly onSlotsRefreshed: () => void;
}

/**
 * The masters of a cluster and their slots. Refreshes repeatedly while servers or slots are
 * missing.
 */
export class Topology {
  readonly #map = new SlotMap();
  readonly #nodes = new Map<Address, ClusterNode>();
  readonly #askingNodes = new Map<Address, ClusterNode>();
  readonly #readiness: Readiness;
  #isKnown = false;
  #isClosed = false;
  #refreshing: Promise<void> | undefined;
  #timer: Timer | undefined;
  readonly #pauses = new Backoff(REFRESH_MS);
  #refreshedAt = -Infinity;
  /** Requests sent to servers that have left. */
  #retiredCommands = 0;

  constructor(private readonly deps: TopologyDeps) {
    this.#readiness = new Readiness(deps.clock, notServing);
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  get masters(): readonly ClusterNode[] {
    return Array.from(this.#map.masters, (address) => this.nodeAt(address));
  }

  get commands(): number {
    let commands = this.#retiredCommands;
    for (const node of this.#everyNode()) commands += node.commands;
    return commands;
  }

  start(): void {
    if (!this.#isKnown && this.#refreshing === undefined && this.#timer === undefined) void this.refresh();
  }

  /**
   * @throws BackendUnavailableError after `ms` without a slot map, or at once if a server refuses
   * for good
   */
  async whenKnown(ms: number): Promise<void> {
    if (this.#isClosed) throw notSent('it is closed');
    if (!this.#isKnown) await this.#readiness.wait(ms);
  }

  /** The server of a slot, as far as known. */
  nodeOf(slot: number): ClusterNode | undefined {
    const address = this.#map.masterOf(slot);
    return address === undefined ? undefined : this.nodeAt(address);
  }

  nodeAt(address: Address): ClusterNode {
    return this.#nodeIn(this.#nodes, address, false);
  }

  askingNodeAt(address: Address): ClusterNode {
    return this.#nodeIn(this.#askingNodes, address, true);
  }

  hashTagAt(address: Address): string | undefined {
    const slot = this.#map.slotAt(address);
    return slot === undefined ? undefined : hashTagFor(slot);
  }

  /** A server has redirected this slot; other slots may have moved too. */
  moved(slot: number, to: Address): void {
    if (this.#isClosed) return;
    this.#map.move(slot, to);
    this.deps.onSlotsRefreshed();
    this.refreshSoon();
  }

  /** Schedules a refresh, since servers or slots seem to be missing. */
  refreshSoon(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = this.deps.clock.setTimer(() => {
      this.#timer = undefined;
      void this.refresh();
    }, this.#pauses.take());
  }

  /**
   * Reads the slots, unless a refresh is running or has just run. Never rejects. @param first the
   * server most likely to know
   */
  async refresh(first?: ClusterNode): Promise<void> {
    const { clock } = this.deps;
    if (this.#refreshing === undefined && clock.now() - this.#refreshedAt < REFRESH_MS.first)
      return this.refreshSoon();
    this.#refreshing ??= this.#refreshNow(first).finally(() => {
      this.#refreshing = undefined;
      this.#refreshedAt = clock.now();
    });
    await this.#refreshing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.deps.clock.clearTimer(this.#timer);
    this.#readiness.failed(new Error('it is closed'), true);
    await Promise.all(Array.from(this.#everyNode(), (node) => node.close()));
  }

  async #refreshNow(first: ClusterNode | undefined): Promise<void> {
    if (this.#isClosed) return;
    let masters: readonly ClusterNode[] = [];
    try {
      this.#map.replace(await this.#fetchRanges(first));
      // Reading `masters` creates the first nodes. They must not count as joined later, so this
      // comes before `#isKnown`.
      masters = this.masters;
      this.#isKnown = true;
      this.#readiness.succeeded();
    } catch (error) {
      // One of several servers could not be reached: it may be up soon.
      const isAnswer = codeOf((error as Error).cause) !== '';
      this.#readiness.failed(error as Error, isAnswer && isFinal(error));
      this.refreshSoon();
    }
    if (this.#isClosed || !this.#isKnown) return;
    this.#retireOthers();
    this.deps.onSlotsRefreshed();
    if (!this.#map.isComplete || masters.some(({ connection }) => !connection.calls.isServing))
      this.refreshSoon();
    else if (this.#timer === undefined) this.#pauses.reset();
  }

  async #fetchRanges(first: ClusterNode | undefined) {
    const { natMap, seeds, fetchSlots } = this.deps;
    const read = (reply: unknown, asked: Address) => {
      const ranges = parseSlots(reply, asked, natMap);
      if (ranges.length === 0) throw notSent('no slot of the cluster is served');
      return ranges;
    };
    const asked = first?.connection.calls.isServing === true ? [first] : this.#someConnected();
    const asking = asked.map(async ({ address, connection }) =>
      read(await connection.calls.call('cluster', ['slots']), address),
    );
    try {
      return await Promise.any(asking);
    } catch {
      const addresses = new Set([...seeds, ...this.#nodes.keys()]);
      const answers = Array.from(addresses, async (address) => read(await fetchSlots(address), address));
      return Promise.any(answers).catch((error: AggregateError) => {
        throw error.errors.at(-1);
      });
    }
  }

  /** A different selection each time. */
  #someConnected(): ClusterNode[] {
    const connected = [...this.#nodes.values()].filter(({ connection }) => connection.calls.isServing);
    const turn = Math.floor(this.deps.clock.random() * connected.length);
    return [...connected.slice(turn), ...connected.slice(0, turn)].slice(0, REQUESTS_AT_ONCE);
  }

  #nodeIn(among: Map<Address, ClusterNode>, address: Address, isAsking: boolean): ClusterNode {
    let node = among.get(address);
    if (node === undefined) {
      node = this.deps.makeNode(address, isAsking);
      among.set(address, node);
      if (this.#isClosed) void node.close();
      else node.start();
    }
    return node;
  }

  #retireOthers(): void {
    const { clock, graceMs } = this.deps;
    const isMaster = (address: Address): boolean => this.#map.slotAt(address) !== undefined;
    for (const nodes of [this.#nodes, this.#askingNodes]) {
      for (const [address, node] of nodes) {
        if (isMaster(address)) continue;
        clock.setTimer(() => {
          if (this.#isClosed || isMaster(address) || nodes.get(address) !== node) return;
          nodes.delete(address);
          this.#retiredCommands += node.commands;
          void node.close();
        }, graceMs);
      }
    }
  }

  #everyNode(): ClusterNode[] {
    return [...this.#nodes.values(), ...this.#askingNodes.values()];
  }
}
