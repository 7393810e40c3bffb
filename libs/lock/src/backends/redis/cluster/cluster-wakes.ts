import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import type { ClusterNode } from './cluster-node.js';
import type { Router } from './router.js';
import { slotOf } from '../protocol/slot.js';
import type { Topology } from './topology.js';

/** One watch, and where it is made. */
interface Ear {
  readonly slot: number;
  readonly attach: (node: ClusterNode) => Promise<Unsubscribe>;
  readonly waker: Waker;
  node: ClusterNode | undefined;
  leave: Unsubscribe | undefined;
  isMoving: boolean;
}

/** Subscriptions on the servers of a cluster, each where the slot of its channels is: they move with it. */
export class ClusterWakes {
  readonly #ears = new Set<Ear>();

  constructor(
    private readonly topology: Topology,
    private readonly router: Router,
  ) {}

  /** As `Wakes.watch()`. */
  async watch(
    resource: string,
    channels: readonly string[],
    waker: Waker,
    claimChannels?: string,
  ): Promise<Unsubscribe> {
    const ear: Ear = {
      slot: slotOf(resource),
      attach: (node) => node.watch(resource, channels, waker, claimChannels),
      waker,
      node: undefined,
      leave: undefined,
      isMoving: true,
    };
    this.#ears.add(ear);
    try {
      await this.#attach(ear);
    } catch (error) {
      this.#ears.delete(ear);
      throw error;
    }
    return () => {
      this.#ears.delete(ear);
      ear.leave?.();
    };
  }

  /** Moves every subscription whose slot is elsewhere by now. */
  check(): void {
    for (const ear of this.#ears) {
      if (!ear.isMoving && this.topology.nodeOf(ear.slot) !== ear.node) void this.#move(ear);
    }
  }

  close(): void {
    this.#ears.clear();
  }

  async #move(ear: Ear): Promise<void> {
    try {
      await this.#attach(ear);
      // What was published meanwhile is gone.
      if (this.#ears.has(ear)) ear.waker();
    } catch {
      // Until the next look, waiters find out by asking.
      this.topology.suspect();
    }
  }

  async #attach(ear: Ear): Promise<void> {
    ear.isMoving = true;
    try {
      await this.router.follow(ear.slot, async (node) => {
        const leave = await ear.attach(node);
        ear.leave?.();
        ear.node = node;
        ear.leave = leave;
        if (!this.#ears.has(ear)) leave();
      });
    } finally {
      ear.isMoving = false;
    }
  }
}
