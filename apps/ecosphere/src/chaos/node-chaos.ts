import { setTimeout as sleep } from 'node:timers/promises';
import type { StartedNode } from '../server/start-nodes.js';

/** What was done to a node. */
export interface NodeOutage {
  readonly nodeId: string;
  /** Purchases that had been made by then. */
  readonly atPurchases: number;
  /** How long nothing ran there, in ms. */
  readonly awayMs: number;
}

/** The part of the sale before it. */
export const QUIET_SHARE = 0.2;
/** The node is gone for about this long, in ms: whoever asks must notice. */
const AWAY_MS = 200;

/** Kills the left-most node, where every attempt begins, once a fifth of the sale is over, and starts it again, empty. */
export class NodeChaos {
  readonly #node: StartedNode;
  readonly #startsAt: number;
  #outage: Promise<NodeOutage> | undefined;

  constructor(nodes: readonly StartedNode[], purchases: number) {
    this.#node = nodes[0]!;
    this.#startsAt = purchases * QUIET_SHARE;
  }

  /** Takes how far the sale is. */
  sold(purchases: number): void {
    if (this.#outage !== undefined || purchases < this.#startsAt) return;
    this.#outage = this.#killAndRestart(purchases);
    // A caller of outage() hears of it.
    this.#outage.catch(() => undefined);
  }

  /** What was done, once it is over. @throws when the node could not be started again */
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
