import type { Clock, Timer } from '../../../core/clock.js';
import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import { WakerMap } from '../../kit/waker-map.js';
import type { AwaitedGrants } from './awaited-grants.js';
import type { RedisConnection, ConnectionHandler } from '../connection/redis-connection.js';
import type { Send, Subscribe } from '../connection/redis-calls.js';
import { codeOf } from '../connection/failures.js';
import { isProcessChannel, processChannel } from '../protocol/keys.js';

/**
 * Interval of pings while locks are watched, in ms. A connection that died silently would lose
 * every wake, and no other request would reveal it.
 */
const HEARTBEAT_MS = 3_000;
/** Most channels of one SUBSCRIBE after a reconnection. */
const CHANNELS_PER_CALL = 500;
/**
 * Messages for Redisson clients alone, since a Bedrock process was woken by name. Redisson reads
 * them as 0 and 1 by `Long.valueOf`.
 */
const REDISSON_ONLY: ReadonlySet<string> = new Set(['00', '01']);
const GRANT = /^(\d+) (\d+) (\d+) (\d+) (\d+) (.+)$/s;

/** Where wakes of a resource are published. */
export interface WakeChannels {
  readonly channels: readonly string[];
  /** The common prefix of the channels of single claims. */
  readonly claimChannelPrefix: string | undefined;
}

interface WatchedResource extends WakeChannels {
  readonly subscribed: Promise<unknown>;
}

/**
 * The subscriptions of this process: its own channel, and those of the watched locks, counted.
 * After a reconnection it subscribes again and wakes every watcher, since messages published
 * meanwhile are lost.
 */
export class WakeSubscriptions implements ConnectionHandler {
  /** The resources that have a waker. */
  readonly #watched = new Map<string, WatchedResource>();
  readonly #wakers = new WakerMap();
  // By channel, and by the prefix of claim channels.
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
    this.#wakers.wakeAll();
  }

  received(channel: string, message: string): void {
    if (!isProcessChannel(channel)) {
      const resource = this.#resourceByChannel.get(channel);
      if (resource === undefined) this.#wakeClaim(channel);
      else if (!REDISSON_ONLY.has(message)) this.#wakers.wake(resource);
      return;
    }
    const body = message.slice(1);
    if (message.startsWith('!')) this.onSuspect(body);
    else if (message.startsWith('=')) this.#onGrant(body);
    else if (message.startsWith('*')) this.#onClaimCalled(body);
    else this.#wakers.wake(body);
  }

  /**
   * Resolves when the subscription is confirmed.
   * @param channels where wakes of the resource are published, beside the channel of the process
   * @param claimChannelPrefix prefix of the channels that end with the number of a claim
   * @throws BackendUnavailableError if it is not confirmed
   */
  async watch(
    resource: string,
    channels: readonly string[],
    waker: Waker,
    claimChannelPrefix?: string,
  ): Promise<Unsubscribe> {
    await this.connection.whenServing();
    const watched =
      this.#watched.get(resource) ??
      this.#addResource(resource, this.channelsFor(resource, channels, claimChannelPrefix));
    const leave = this.#wakers.add(resource, waker, () => this.#unsubscribe(resource, watched));
    this.#scheduleHeartbeat();
    try {
      await watched.subscribed;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Ends the heartbeat and forgets all watches. */
  close(): void {
    this.#wakers.clear();
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

  protected channelsFor(
    _resource: string,
    channels: readonly string[],
    claimChannelPrefix: string | undefined,
  ): WakeChannels {
    return { channels, claimChannelPrefix };
  }

  /** Checks that the server still answers. */
  protected checkAlive(): Promise<unknown> {
    return this.connection.calls.call('ping', []);
  }

  #scheduleHeartbeat(): void {
    if (this.#heartbeat !== undefined || this.#watched.size === 0) return;
    this.#heartbeat = this.clock.setTimer(() => {
      this.#heartbeat = undefined;
      if (this.connection.calls.isServing) this.checkAlive().catch(() => undefined);
      this.#scheduleHeartbeat();
    }, HEARTBEAT_MS);
  }

  /** The first waker of the resource comes. */
  #addResource(resource: string, wakeChannels: WakeChannels): WatchedResource {
    const watched = { ...wakeChannels, subscribed: this.#subscribe(wakeChannels) };
    this.#watched.set(resource, watched);
    const { channels, claimChannelPrefix } = wakeChannels;
    for (const channel of channels) this.#resourceByChannel.set(channel, resource);
    if (claimChannelPrefix !== undefined) this.#resourceByClaimPrefix.set(claimChannelPrefix, resource);
    return watched;
  }

  /** The last waker of the resource has left. */
  #unsubscribe(resource: string, { channels, claimChannelPrefix }: WakeChannels): void {
    this.#watched.delete(resource);
    for (const channel of channels) this.#resourceByChannel.delete(channel);
    if (claimChannelPrefix !== undefined) this.#resourceByClaimPrefix.delete(claimChannelPrefix);
    if (!this.connection.calls.isServing) return;
    if (channels.length > 0) this.connection.calls.unsubscribe(channels).catch(() => undefined);
    if (claimChannelPrefix !== undefined)
      this.connection.calls.unsubscribe([patternOf(claimChannelPrefix)], 'patterns').catch(() => undefined);
  }

  #subscribe({ channels, claimChannelPrefix }: WakeChannels): Promise<unknown> {
    const made: Promise<unknown>[] = [];
    if (channels.length > 0) made.push(this.connection.calls.subscribe(channels));
    if (claimChannelPrefix !== undefined)
      made.push(subscribeToClaims(this.connection.calls.subscribe, [patternOf(claimChannelPrefix)]));
    return Promise.all(made);
  }

  /** `<n of the claim id> <resource>` */
  #onClaimCalled(body: string): void {
    const space = body.indexOf(' ');
    this.#wakers.wake(body.slice(space + 1), { claimId: `${this.processId}:${body.slice(0, space)}` });
  }

  #wakeClaim(channel: string): void {
    const number = channel.lastIndexOf(':') + 1;
    const resource = this.#resourceByClaimPrefix.get(channel.slice(0, number));
    if (resource !== undefined)
      this.#wakers.wake(resource, { claimId: `${this.processId}:${channel.slice(number)}` });
  }

  /** `<n of the claim id> <token> <tokens> <lease, ms> <server ms> <resource>` */
  #onGrant(body: string): void {
    const [, number, token, tokens, leaseMs, at, resource] = GRANT.exec(body) ?? [];
    // A message that cannot be parsed still wakes every watcher.
    if (resource === undefined) return this.#wakers.wakeAll();
    const claimId = `${this.processId}:${number}`;
    const grant = this.awaitedGrants.accept({
      claimId,
      resource,
      token: Number(token),
      tokens: Number(tokens),
      leaseMs: Number(leaseMs),
      at: Number(at),
    });
    this.#wakers.wake(resource, grant && { claimId, grant });
  }
}

/**
 * Many users may not subscribe to patterns. Without them a wake is only late: the sweep asks again.
 */
async function subscribeToClaims(subscribe: Subscribe, patterns: readonly string[]): Promise<void> {
  try {
    await subscribe(patterns, 'patterns');
  } catch (error) {
    if (codeOf((error as Error).cause) !== 'NOPERM') throw error;
  }
}

/** The pattern of all channels with this prefix. */
function patternOf(beginning: string): string {
  return `${beginning.replace(/[\\*?[\]^]/g, '\\$&')}*`;
}
