import { setTimeout as sleep } from 'node:timers/promises';
import type { StartedNode } from '../server/start-nodes.js';

/** A node's outage. */
export interface NodeOutage {
  readonly nodeId: string;
  /** Purchases made before the outage. */
  readonly atPurchases: number;
  /** How long the node was down, in ms. */
  readonly awayMs: number;
}

/** The share of the sale before the outage. */
export const QUIET_SHARE = 0.2;
/** How long the node stays down, in ms: long enough for its clients to notice. */
const AWAY_MS = 200;

/** Kills the left-most node, where every attempt begins, once a fifth of the sale is over. Then restarts it, empty. */
export class NodeChaos {
  readonly #node: StartedNode;
  readonly #startsAt: number;
  #outage: Promise<NodeOutage> | undefined;

  constructor(nodes: readonly StartedNode[], purchases: number) {
    this.#node = nodes[0]!;
    this.#startsAt = purchases * QUIET_SHARE;
  }

  /** Reports the progress of the sale. */
  sold(purchases: number): void {
    if (this.#outage !== undefined || purchases < this.#startsAt) return;
    this.#outage = this.#killAndRestart(purchases);
    // A caller of outage() gets the rejection.
    this.#outage.catch(() => undefined);
  }

  /** The outage, once it is over. @throws if the node could not be restarted */
  outage(): Promise<NodeOutage> {
    return this.#outage ?? Promise.reject(new Error('the sale ended before a node could be killed'));
  }

  async #killAndRestart(atPurchases: number): Promise<NodeOutage> {
    const { server, nodeId } = this.#node;
    const killedAt = performance.now();
    server.kill('SIGKILL');
    await sleep(AWAY_MS);
    await server.restart();
    return { nodeId, atPurchases, awayMs: performance.now() - killedAt };
  }
}
