import type { Shape } from '../../core/claim.js';
import type { Unsubscribe } from '../../core/ports/ports.js';
import type { NodeHandle } from './node-handle.js';

/**
 * Waits for one resource. Only the node that refused announces the release, so it must be
 * subscribed.
 */
export class NodeWatch {
  readonly #subscriptions = new Map<NodeHandle, Promise<Unsubscribe>>();
  #isOver = false;

  constructor(
    private readonly resource: string,
    private readonly shape: Shape,
    private readonly wake: () => void,
  ) {}

  /** Resolves when the subscription is live. @throws BackendUnavailableError when it fails */
  async subscribe(handle: NodeHandle): Promise<void> {
    const subscription = handle.node.leases.watch(this.resource, this.shape, this.wake);
    this.#subscriptions.set(handle, subscription);
    try {
      await subscription;
    } catch (error) {
      this.#subscriptions.delete(handle);
      throw error;
    }
  }

  /**
   * Another node is in the way now: subscribe there too. Its earlier messages are lost, so the
   * waiter asks again.
   */
  addNode(handle: NodeHandle): void {
    if (this.#isOver || this.#subscriptions.has(handle)) return;
    this.subscribe(handle).then(this.wake, () => undefined);
  }

  close(): void {
    this.#isOver = true;
    for (const subscription of this.#subscriptions.values())
      subscription.then((unsubscribe) => unsubscribe()).catch(() => undefined);
    this.#subscriptions.clear();
  }
}
