import type { Timer } from '../../../core/clock.js';
import type { Send, Subscribe } from '../connection/redis-calls.js';
import { codeOf } from '../connection/failures.js';
import { wakeChannel } from '../protocol/keys.js';
import { WakeSubscriptions, type WakeChannels } from '../presence/wake-subscriptions.js';

/**
 * Pause before lost subscriptions are renewed, in ms. The server reports each one separately, so
 * one renewal covers several.
 */
const RESUBSCRIBE_MS = 50;

/**
 * Subscriptions to shard channels (SSUBSCRIBE), on one server of a cluster. Beside the channels of
 * each watched lock, the process has one for its own wakes in the same slot. The server ends
 * subscriptions when CLUSTER SETSLOT sets the owner of a slot, even to itself. Not every client
 * reports this, so every heartbeat renews all subscriptions.
 */
export class ShardWakeSubscriptions extends WakeSubscriptions {
  readonly #onSlotsMoved: () => void;
  #resubscribeTimer: Timer | undefined;

  /** @param onSlotsMoved channels may belong to another server by now */
  constructor(onSlotsMoved: () => void, ...wakes: ConstructorParameters<typeof WakeSubscriptions>) {
    super(...wakes);
    this.#onSlotsMoved = onSlotsMoved;
  }

  override async open(_send: Send, subscribe: Subscribe): Promise<void> {
    await this.#subscribeAll(subscribe);
  }

  moved(): void {
    this.#onSlotsMoved();
    this.#resubscribeTimer ??= this.clock.setTimer(() => {
      this.#resubscribeTimer = undefined;
      this.checkAlive().then(
        // Messages published meanwhile are lost.
        () => this.opened(),
        () => undefined,
      );
    }, RESUBSCRIBE_MS);
  }

  override close(): void {
    if (this.#resubscribeTimer !== undefined) this.clock.clearTimer(this.#resubscribeTimer);
    super.close();
  }

  protected override channelsFor(resource: string, channels: readonly string[]): WakeChannels {
    // Shard channels have no patterns.
    return { channels: [...channels, wakeChannel(resource, this.processId)], claimChannelPrefix: undefined };
  }

  protected override checkAlive(): Promise<unknown> {
    return this.#subscribeAll(this.connection.calls.subscribe);
  }

  /** One call per watched resource: a slot that has moved must not block the subscriptions of others. */
  #subscribeAll(subscribe: Subscribe): Promise<unknown> {
    const refused = (error: Error): void => {
      if (codeOf(error.cause) !== 'MOVED') throw error;
      this.#onSlotsMoved();
    };
    return Promise.all(this.subscriptions.map((channels) => subscribe(channels).catch(refused)));
  }
}
