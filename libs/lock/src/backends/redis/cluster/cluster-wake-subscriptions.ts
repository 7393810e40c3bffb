import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import type { ClusterNode } from './cluster-node.js';
import type { Router } from './router.js';
import { slotOf } from '../protocol/slot.js';
import type { Topology } from './topology.js';

/** One watch and the server it is on. */
interface ClusterWatch {
  readonly slot: number;
  readonly attach: (node: ClusterNode) => Promise<Unsubscribe>;
  readonly waker: Waker;
  node: ClusterNode | undefined;
  unsubscribe: Unsubscribe | undefined;
  isMoving: boolean;
}

/**
 * Subscriptions in a cluster. Each is on the server of its channels' slot, and follows the slot
 * when it moves. Not a `WakerMap`: each waker moves by itself, and the subscriptions of a server
 * have one.
 */
export class ClusterWakeSubscriptions {
  readonly #watches = new Set<ClusterWatch>();

  constructor(
    private readonly topology: Topology,
    private readonly router: Router,
  ) {}

  /** Like `WakeSubscriptions.watch()`. */
  async watch(
    resource: string,
    channels: readonly string[],
    waker: Waker,
    claimChannelPrefix?: string,
  ): Promise<Unsubscribe> {
    const watch: ClusterWatch = {
      slot: slotOf(resource),
      attach: (node) => node.watch(resource, channels, waker, claimChannelPrefix),
      waker,
      node: undefined,
      unsubscribe: undefined,
      isMoving: true,
    };
    this.#watches.add(watch);
    try {
      await this.#attach(watch);
    } catch (error) {
      this.#watches.delete(watch);
      throw error;
    }
    return () => {
      this.#watches.delete(watch);
      watch.unsubscribe?.();
    };
  }

  /** Moves every subscription whose slot has moved. */
  followSlots(): void {
    for (const watch of this.#watches) {
      if (!watch.isMoving && this.topology.nodeOf(watch.slot) !== watch.node) void this.#move(watch);
    }
  }

  close(): void {
    this.#watches.clear();
  }

  async #move(watch: ClusterWatch): Promise<void> {
    try {
      await this.#attach(watch);
      // Messages published meanwhile are lost.
      if (this.#watches.has(watch)) watch.waker();
    } catch {
      // Until the next refresh, waiters rely on their sweep.
      this.topology.refreshSoon();
    }
  }

  async #attach(watch: ClusterWatch): Promise<void> {
    watch.isMoving = true;
    try {
      await this.router.follow(watch.slot, async (node) => {
        const unsubscribe = await watch.attach(node);
        watch.unsubscribe?.();
        watch.node = node;
        watch.unsubscribe = unsubscribe;
        if (!this.#watches.has(watch)) unsubscribe();
      });
    } finally {
      watch.isMoving = false;
    }
  }
}
