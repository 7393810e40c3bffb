import type { WaitSettings } from '../../core/options/wait-options.js';
import type { CountStrategy } from './count-strategy.js';
import { CountQueue, type CountDeps, type CountQueueOwner } from './count-queue.js';
import { WakeHub } from '../waiting/wake-hub.js';

/** The queues of one kind in this process: one per resource that is waited for, and their wakes. */
export class CountQueues<W extends WaitSettings, T> implements CountQueueOwner<W, T> {
  readonly hub: WakeHub<undefined>;
  readonly #queues = new Map<string, CountQueue<W, T>>();
  #onEmpty: (() => void) | undefined;

  constructor(
    readonly deps: CountDeps,
    readonly strategy: CountStrategy<W, T>,
  ) {
    this.hub = new WakeHub(deps.clock, {
      watch: (resource, _usage, wake) => strategy.watch(resource, wake),
    });
  }

  /** Waits for the grant, as the settings say; `waitMs` 0 asks once. */
  wait(resource: string, settings: W, signal: AbortSignal | undefined): Promise<T> {
    let queue = this.#queues.get(resource);
    if (queue === undefined) {
      queue = new CountQueue<W, T>(resource, this);
      this.#queues.set(resource, queue);
    }
    return queue.wait({ settings, signal, triesOnce: settings.waitMs === 0 });
  }

  /** @internal The queue has no waiters any more. */
  drop(queue: CountQueue<W, T>): void {
    this.#queues.delete(queue.resource);
    if (this.#queues.size === 0) this.#onEmpty?.();
  }

  /** Once no caller waits: resolves when no request is in flight any more. */
  async whenEmpty(): Promise<void> {
    if (this.#queues.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }
}
