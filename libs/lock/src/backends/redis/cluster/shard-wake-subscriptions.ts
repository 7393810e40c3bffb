import type { Timer } from '../../../core/clock.js';
import type { Send, Subscribe } from '../connection/redis-connection.js';
import { codeOf } from '../connection/failures.js';
import { wakeChannel } from '../protocol/keys.js';
import { WakeSubscriptions, type WakeChannels } from '../presence/wake-subscriptions.js';

/** Pause before subscriptions are made sure of that the server may have ended, in ms: it tells of each by itself. */
const RESUBSCRIBE_MS = 50;

/**
 * Subscriptions to shard channels, on one server of a cluster. The process has a channel of its own beside those of each
 * watched lock, in their slot. The server ends subscriptions by itself when it is told whose a slot is, also when that is
 * itself; not every client tells, so all are made sure of at every heartbeat.
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
        // What was published meanwhile is gone.
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
    // There are no patterns of shard channels.
    return { channels: [...channels, wakeChannel(resource, this.processId)], claimChannelPrefix: undefined };
  }

  protected override checkAlive(): Promise<unknown> {
    return this.#subscribeAll(this.connection.subscribe);
  }

  /** A call takes the channels of one slot, and one that has moved away must not keep the others from being heard. */
  #subscribeAll(subscribe: Subscribe): Promise<unknown> {
    const refused = (error: Error): void => {
      if (codeOf(error.cause) !== 'MOVED') throw error;
      this.#onSlotsMoved();
    };
    return Promise.all(this.subscriptions.map((channels) => subscribe(channels).catch(refused)));
  }
}
