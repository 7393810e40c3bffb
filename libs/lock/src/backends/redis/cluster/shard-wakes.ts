import type { Timer } from '../../../core/clock.js';
import type { Send, Subscribe } from '../connection/connection.js';
import { codeOf } from '../connection/failures.js';
import { wakeChannel } from '../protocol/keys.js';
import { Wakes, type Place } from '../presence/wakes.js';

/** Pause before subscriptions are made sure of that the server may have ended, in ms: it tells of each by itself. */
const AGAIN_MS = 50;

/**
 * Subscriptions to shard channels, on one server of a cluster. The process has a channel of its own beside those of each
 * watched lock, in their slot. The server ends subscriptions by itself when it is told whose a slot is, also when that is
 * itself; not every client tells, so all are made sure of at every heartbeat.
 */
export class ShardWakes extends Wakes {
  readonly #onAstray: () => void;
  #again: Timer | undefined;

  /** @param onAstray channels may belong to another server by now */
  constructor(onAstray: () => void, ...wakes: ConstructorParameters<typeof Wakes>) {
    super(...wakes);
    this.#onAstray = onAstray;
  }

  override async open(_send: Send, subscribe: Subscribe): Promise<void> {
    await this.#subscribeAll(subscribe);
  }

  moved(): void {
    this.#onAstray();
    this.#again ??= this.clock.setTimer(() => {
      this.#again = undefined;
      this.signOfLife().then(
        // What was published meanwhile is gone.
        () => this.opened(),
        () => undefined,
      );
    }, AGAIN_MS);
  }

  override close(): void {
    if (this.#again !== undefined) this.clock.clearTimer(this.#again);
    super.close();
  }

  protected override placeOf(resource: string, channels: readonly string[]): Place {
    // There are no patterns of shard channels.
    return { channels: [...channels, wakeChannel(resource, this.processId)], claimChannels: undefined };
  }

  protected override signOfLife(): Promise<unknown> {
    return this.#subscribeAll(this.connection.subscribe);
  }

  /** A call takes the channels of one slot, and one that has moved away must not keep the others from being heard. */
  #subscribeAll(subscribe: Subscribe): Promise<unknown> {
    const refused = (error: Error): void => {
      if (codeOf(error.cause) !== 'MOVED') throw error;
      this.#onAstray();
    };
    return Promise.all(this.subscriptions.map((channels) => subscribe(channels).catch(refused)));
  }
}
