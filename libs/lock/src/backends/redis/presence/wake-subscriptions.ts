import type { Clock, Timer } from '../../../core/clock.js';
import type { Wake } from '../../../core/claim.js';
import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import type { AwaitedGrants } from './awaited-grants.js';
import type { RedisConnection, ConnectionHandler, Send, Subscribe } from '../connection/redis-connection.js';
import { codeOf } from '../connection/failures.js';
import { isProcessChannel, processChannel } from '../protocol/keys.js';

/**
 * While locks are watched, the connection is asked for a sign of life this often, in ms: a connection that died silently
 * would cost every wake from then on, and nothing else is sent on it.
 */
const HEARTBEAT_MS = 3_000;
/** Longest SUBSCRIBE after a reconnection. */
const CHANNELS_PER_CALL = 500;
/** What is published for Redisson when a Bedrock process was woken by name; 0 and 1 to `Long.valueOf`. */
const REDISSON_ONLY: ReadonlySet<string> = new Set(['00', '01']);
const GRANT = /^(\d+) (\d+) (\d+) (\d+) (\d+) (.+)$/s;

/** Where wakes of a resource are published. */
export interface WakeChannels {
  readonly channels: readonly string[];
  /** What the channels of single claims begin with. */
  readonly claimChannelPrefix: string | undefined;
}

interface WatchedResource extends WakeChannels {
  readonly wakers: Set<Waker>;
  readonly subscribed: Promise<unknown>;
}

/**
 * The subscriptions of this process: one channel of its own, and those of the watched locks, counted. After a reconnection
 * all are made again and every watcher is woken, since what was published meanwhile is gone.
 */
export class WakeSubscriptions implements ConnectionHandler {
  readonly #watched = new Map<string, WatchedResource>();
  // By channel, and by what the channels of claims begin with.
  readonly #resourceByChannel = new Map<string, string>();
  readonly #resourceByClaimPrefix = new Map<string, string>();
  readonly #ownChannel: string;
  #heartbeat: Timer | undefined;

  constructor(
    protected readonly connection: RedisConnection,
    protected readonly processId: string,
    protected readonly clock: Clock,
    private readonly awaitedGrants: AwaitedGrants,
    private readonly onSuspect: (resource: string) => void,
  ) {
    this.#ownChannel = processChannel(processId);
  }

  async open(_send: Send, subscribe: Subscribe): Promise<void> {
    const channels = [this.#ownChannel, ...this.#resourceByChannel.keys()];
    const calls: Promise<unknown>[] = [];
    for (let at = 0; at < channels.length; at += CHANNELS_PER_CALL) {
      calls.push(subscribe(channels.slice(at, at + CHANNELS_PER_CALL)));
    }
    const patterns = Array.from(this.#resourceByClaimPrefix.keys(), patternOf);
    if (patterns.length > 0) calls.push(subscribeToClaims(subscribe, patterns));
    await Promise.all(calls);
  }

  opened(): void {
    this.#wakeAll();
  }

  received(channel: string, message: string): void {
    if (!isProcessChannel(channel)) {
      const resource = this.#resourceByChannel.get(channel);
      if (resource === undefined) this.#wakeClaim(channel);
      else if (!REDISSON_ONLY.has(message)) this.#wake(resource);
      return;
    }
    const body = message.slice(1);
    if (message.startsWith('!')) this.onSuspect(body);
    else if (message.startsWith('=')) this.#onGrant(body);
    else if (message.startsWith('*')) this.#onClaimCalled(body);
    else this.#wake(body);
  }

  /**
   * Resolves when the subscription is confirmed.
   * @param channels where the resource is spoken of, beside the own channel of the process
   * @param claimChannels what channels begin with that end with the number of a claim
   * @throws BackendUnavailableError when it is not
   */
  async watch(
    resource: string,
    channels: readonly string[],
    waker: Waker,
    claimChannelPrefix?: string,
  ): Promise<Unsubscribe> {
    await this.connection.whenServing();
    // Every call counts for itself, also with a function that watches already.
    const own: Waker = (wake) => waker(wake);
    let watched = this.#watched.get(resource);
    if (watched === undefined) {
      const wakeChannels = this.channelsFor(resource, channels, claimChannelPrefix);
      watched = { ...wakeChannels, wakers: new Set(), subscribed: this.#subscribe(wakeChannels) };
      this.#watched.set(resource, watched);
      for (const channel of watched.channels) this.#resourceByChannel.set(channel, resource);
      if (watched.claimChannelPrefix !== undefined)
        this.#resourceByClaimPrefix.set(watched.claimChannelPrefix, resource);
    }
    watched.wakers.add(own);
    this.#scheduleHeartbeat();
    try {
      await watched.subscribed;
    } catch (error) {
      this.#removeWaker(resource, watched, own);
      throw error;
    }
    return () => this.#removeWaker(resource, watched, own);
  }

  /** Stops what goes on by itself. */
  close(): void {
    this.#watched.clear();
    this.#resourceByChannel.clear();
    this.#resourceByClaimPrefix.clear();
    if (this.#heartbeat !== undefined) this.clock.clearTimer(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** The channels of each watched resource. */
  protected get subscriptions(): readonly (readonly string[])[] {
    return Array.from(this.#watched.values(), ({ channels }) => channels);
  }

  /** Where wakes of a resource are published. */
  protected channelsFor(
    _resource: string,
    channels: readonly string[],
    claimChannelPrefix: string | undefined,
  ): WakeChannels {
    return { channels, claimChannelPrefix };
  }

  /** Asks whether the server is still there. */
  protected checkAlive(): Promise<unknown> {
    return this.connection.call('ping', []);
  }

  #scheduleHeartbeat(): void {
    if (this.#heartbeat !== undefined || this.#watched.size === 0) return;
    this.#heartbeat = this.clock.setTimer(() => {
      this.#heartbeat = undefined;
      if (this.connection.isReady) this.checkAlive().catch(() => undefined);
      this.#scheduleHeartbeat();
    }, HEARTBEAT_MS);
  }

  #removeWaker(resource: string, watched: WatchedResource, own: Waker): void {
    if (!watched.wakers.delete(own) || watched.wakers.size > 0) return;
    if (this.#watched.get(resource) !== watched) return;
    this.#watched.delete(resource);
    const { channels, claimChannelPrefix } = watched;
    for (const channel of channels) this.#resourceByChannel.delete(channel);
    if (claimChannelPrefix !== undefined) this.#resourceByClaimPrefix.delete(claimChannelPrefix);
    if (!this.connection.isReady) return;
    if (channels.length > 0) this.connection.unsubscribe(channels).catch(() => undefined);
    if (claimChannelPrefix !== undefined)
      this.connection.unsubscribe([patternOf(claimChannelPrefix)], 'patterns').catch(() => undefined);
  }

  #subscribe({ channels, claimChannelPrefix }: WakeChannels): Promise<unknown> {
    const made: Promise<unknown>[] = [];
    if (channels.length > 0) made.push(this.connection.subscribe(channels));
    if (claimChannelPrefix !== undefined)
      made.push(subscribeToClaims(this.connection.subscribe, [patternOf(claimChannelPrefix)]));
    return Promise.all(made);
  }

  /** `<n of the claim id> <resource>` */
  #onClaimCalled(body: string): void {
    const space = body.indexOf(' ');
    this.#wake(body.slice(space + 1), { claimId: `${this.processId}:${body.slice(0, space)}` });
  }

  #wakeClaim(channel: string): void {
    const number = channel.lastIndexOf(':') + 1;
    const resource = this.#resourceByClaimPrefix.get(channel.slice(0, number));
    if (resource !== undefined)
      this.#wake(resource, { claimId: `${this.processId}:${channel.slice(number)}` });
  }

  /** `<n of the claim id> <token> <tokens> <lease, ms> <server ms> <resource>` */
  #onGrant(body: string): void {
    const [, number, token, tokens, leaseMs, at, resource] = GRANT.exec(body) ?? [];
    // Whatever it is about, a message is never dropped.
    if (resource === undefined) return this.#wakeAll();
    const claimId = `${this.processId}:${number}`;
    const grant = this.awaitedGrants.accept({
      claimId,
      resource,
      token: Number(token),
      tokens: Number(tokens),
      leaseMs: Number(leaseMs),
      at: Number(at),
    });
    this.#wake(resource, grant && { claimId, grant });
  }

  #wakeAll(): void {
    for (const resource of this.#watched.keys()) this.#wake(resource);
  }

  #wake(resource: string, wake?: Wake): void {
    const watched = this.#watched.get(resource);
    if (watched !== undefined) for (const waker of [...watched.wakers]) waker(wake);
  }
}

/** Redis allows patterns to few users. Without them nothing is lost but a moment: the sweep asks again. */
async function subscribeToClaims(subscribe: Subscribe, patterns: readonly string[]): Promise<void> {
  try {
    await subscribe(patterns, 'patterns');
  } catch (error) {
    if (codeOf((error as Error).cause) !== 'NOPERM') throw error;
  }
}

/** The pattern of all channels that begin like this. */
function patternOf(beginning: string): string {
  return `${beginning.replace(/[\\*?[\]^]/g, '\\$&')}*`;
}
