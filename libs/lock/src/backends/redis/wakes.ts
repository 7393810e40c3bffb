import type { Clock, Timer } from '../../core/clock.js';
import type { Unsubscribe } from '../../core/ports.js';
import type { Connection, Conversation, Send } from './connection.js';
import { processChannel, type KeyRing } from './keys.js';

/**
 * While locks are watched, the subscription is made sure of this often, in ms: a connection that died silently would
 * cost every wake from then on, and nothing else is sent on it.
 */
const HEARTBEAT_MS = 3_000;
/** Longest SUBSCRIBE after a reconnection. */
const CHANNELS_PER_CALL = 500;
/** What is published for Redisson when a Bedrock process was woken by name; 0 to `Long.valueOf`. */
const FOR_REDISSON = '00';

interface Watched {
  readonly wakes: Set<() => void>;
  readonly made: Promise<unknown>;
}

/**
 * The subscriptions of this process: one channel of its own, and one per watched lock, counted. After a reconnection
 * all are made again and every watcher is woken, since what was published meanwhile is gone.
 */
export class Wakes implements Conversation {
  readonly #watched = new Map<string, Watched>();
  readonly #ownChannel: string;
  #heartbeat: Timer | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly ring: KeyRing,
    processId: string,
    private readonly clock: Clock,
    private readonly onDoubt: (resource: string) => void,
  ) {
    this.#ownChannel = processChannel(processId);
    connection.client.on('message', (channel: string, message: string) => this.#receive(channel, message));
  }

  async open(send: Send): Promise<void> {
    const channels = [this.#ownChannel, ...this.#watched.keys()];
    const calls: Promise<unknown>[] = [];
    for (let at = 0; at < channels.length; at += CHANNELS_PER_CALL) {
      calls.push(send('subscribe', channels.slice(at, at + CHANNELS_PER_CALL)));
    }
    await Promise.all(calls);
  }

  opened(): void {
    for (const channel of this.#watched.keys()) this.#wake(channel);
  }

  /** Resolves when the subscription is confirmed. @throws BackendUnavailableError when it is not */
  async watch(resource: string, wake: () => void): Promise<Unsubscribe> {
    await this.connection.whenServing();
    const { channel } = this.ring.of(resource);
    // Every call counts for itself, also with a function that watches already.
    const own = (): void => wake();
    let watched = this.#watched.get(channel);
    if (watched === undefined) {
      watched = { wakes: new Set(), made: this.connection.call('subscribe', [channel]) };
      this.#watched.set(channel, watched);
    }
    watched.wakes.add(own);
    this.#scheduleHeartbeat();
    try {
      await watched.made;
    } catch (error) {
      this.#leave(channel, watched, own);
      throw error;
    }
    return () => this.#leave(channel, watched, own);
  }

  /** Stops what goes on by itself. */
  close(): void {
    this.#watched.clear();
    if (this.#heartbeat !== undefined) this.clock.clearTimer(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #scheduleHeartbeat(): void {
    if (this.#heartbeat !== undefined || this.#watched.size === 0) return;
    this.#heartbeat = this.clock.setTimer(() => {
      this.#heartbeat = undefined;
      if (this.connection.isReady)
        this.connection.call('subscribe', [this.#ownChannel]).catch(() => undefined);
      this.#scheduleHeartbeat();
    }, HEARTBEAT_MS);
  }

  #leave(channel: string, watched: Watched, own: () => void): void {
    if (!watched.wakes.delete(own) || watched.wakes.size > 0) return;
    if (this.#watched.get(channel) !== watched) return;
    this.#watched.delete(channel);
    if (this.connection.isReady) this.connection.call('unsubscribe', [channel]).catch(() => undefined);
  }

  #receive(channel: string, message: string): void {
    if (channel !== this.#ownChannel) {
      if (message !== FOR_REDISSON) this.#wake(channel);
      return;
    }
    const resource = message.slice(1);
    if (message.startsWith('!')) this.onDoubt(resource);
    else this.#wake(this.ring.of(resource).channel);
  }

  #wake(channel: string): void {
    const watched = this.#watched.get(channel);
    if (watched !== undefined) for (const wake of [...watched.wakes]) wake();
  }
}
