import type { Clock, Timer } from '../../../core/clock.js';
import type { Wake } from '../../../core/claim.js';
import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import type { AwaitedGrants } from './awaited-grants.js';
import type { Connection, Conversation, Send, Subscribe } from '../connection/connection.js';
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
const FOR_REDISSON: ReadonlySet<string> = new Set(['00', '01']);
const GRANT = /^(\d+) (\d+) (\d+) (\d+) (\d+) (.+)$/s;

/** Where a resource is heard of. */
export interface Place {
  readonly channels: readonly string[];
  /** What the channels of single claims begin with. */
  readonly claimChannels: string | undefined;
}

interface Watched extends Place {
  readonly wakers: Set<Waker>;
  readonly made: Promise<unknown>;
}

/**
 * The subscriptions of this process: one channel of its own, and those of the watched locks, counted. After a reconnection
 * all are made again and every watcher is woken, since what was published meanwhile is gone.
 */
export class Wakes implements Conversation {
  readonly #watched = new Map<string, Watched>();
  // By channel, and by what the channels of claims begin with.
  readonly #resources = new Map<string, string>();
  readonly #resourcesOfClaims = new Map<string, string>();
  readonly #ownChannel: string;
  #heartbeat: Timer | undefined;

  constructor(
    protected readonly connection: Connection,
    protected readonly processId: string,
    protected readonly clock: Clock,
    private readonly awaited: AwaitedGrants,
    private readonly onSuspect: (resource: string) => void,
  ) {
    this.#ownChannel = processChannel(processId);
  }

  async open(_send: Send, subscribe: Subscribe): Promise<void> {
    const channels = [this.#ownChannel, ...this.#resources.keys()];
    const calls: Promise<unknown>[] = [];
    for (let at = 0; at < channels.length; at += CHANNELS_PER_CALL) {
      calls.push(subscribe(channels.slice(at, at + CHANNELS_PER_CALL)));
    }
    const patterns = Array.from(this.#resourcesOfClaims.keys(), patternOf);
    if (patterns.length > 0) calls.push(listenToClaims(subscribe, patterns));
    await Promise.all(calls);
  }

  opened(): void {
    this.#wakeAll();
  }

  received(channel: string, message: string): void {
    if (!isProcessChannel(channel)) {
      const resource = this.#resources.get(channel);
      if (resource === undefined) this.#wakeClaim(channel);
      else if (!FOR_REDISSON.has(message)) this.#wake(resource);
      return;
    }
    const body = message.slice(1);
    if (message.startsWith('!')) this.onSuspect(body);
    else if (message.startsWith('=')) this.#granted(body);
    else if (message.startsWith('*')) this.#called(body);
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
    claimChannels?: string,
  ): Promise<Unsubscribe> {
    await this.connection.whenServing();
    // Every call counts for itself, also with a function that watches already.
    const own: Waker = (wake) => waker(wake);
    let watched = this.#watched.get(resource);
    if (watched === undefined) {
      const place = this.placeOf(resource, channels, claimChannels);
      watched = { ...place, wakers: new Set(), made: this.#subscribe(place) };
      this.#watched.set(resource, watched);
      for (const channel of watched.channels) this.#resources.set(channel, resource);
      if (watched.claimChannels !== undefined) this.#resourcesOfClaims.set(watched.claimChannels, resource);
    }
    watched.wakers.add(own);
    this.#scheduleHeartbeat();
    try {
      await watched.made;
    } catch (error) {
      this.#leave(resource, watched, own);
      throw error;
    }
    return () => this.#leave(resource, watched, own);
  }

  /** Stops what goes on by itself. */
  close(): void {
    this.#watched.clear();
    this.#resources.clear();
    this.#resourcesOfClaims.clear();
    if (this.#heartbeat !== undefined) this.clock.clearTimer(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  /** The channels of each watched resource. */
  protected get subscriptions(): readonly (readonly string[])[] {
    return Array.from(this.#watched.values(), ({ channels }) => channels);
  }

  /** Where a resource is heard of. */
  protected placeOf(
    _resource: string,
    channels: readonly string[],
    claimChannels: string | undefined,
  ): Place {
    return { channels, claimChannels };
  }

  /** Asks whether the server is still there. */
  protected signOfLife(): Promise<unknown> {
    return this.connection.call('ping', []);
  }

  #scheduleHeartbeat(): void {
    if (this.#heartbeat !== undefined || this.#watched.size === 0) return;
    this.#heartbeat = this.clock.setTimer(() => {
      this.#heartbeat = undefined;
      if (this.connection.isReady) this.signOfLife().catch(() => undefined);
      this.#scheduleHeartbeat();
    }, HEARTBEAT_MS);
  }

  #leave(resource: string, watched: Watched, own: Waker): void {
    if (!watched.wakers.delete(own) || watched.wakers.size > 0) return;
    if (this.#watched.get(resource) !== watched) return;
    this.#watched.delete(resource);
    const { channels, claimChannels } = watched;
    for (const channel of channels) this.#resources.delete(channel);
    if (claimChannels !== undefined) this.#resourcesOfClaims.delete(claimChannels);
    if (!this.connection.isReady) return;
    if (channels.length > 0) this.connection.unsubscribe(channels).catch(() => undefined);
    if (claimChannels !== undefined)
      this.connection.unsubscribe([patternOf(claimChannels)], 'patterns').catch(() => undefined);
  }

  #subscribe({ channels, claimChannels }: Place): Promise<unknown> {
    const made: Promise<unknown>[] = [];
    if (channels.length > 0) made.push(this.connection.subscribe(channels));
    if (claimChannels !== undefined)
      made.push(listenToClaims(this.connection.subscribe, [patternOf(claimChannels)]));
    return Promise.all(made);
  }

  /** `<n of the claim id> <resource>` */
  #called(body: string): void {
    const space = body.indexOf(' ');
    this.#wake(body.slice(space + 1), { claimId: `${this.processId}:${body.slice(0, space)}` });
  }

  #wakeClaim(channel: string): void {
    const number = channel.lastIndexOf(':') + 1;
    const resource = this.#resourcesOfClaims.get(channel.slice(0, number));
    if (resource !== undefined)
      this.#wake(resource, { claimId: `${this.processId}:${channel.slice(number)}` });
  }

  /** `<n of the claim id> <token> <tokens> <lease, ms> <server ms> <resource>` */
  #granted(body: string): void {
    const [, number, token, tokens, leaseMs, at, resource] = GRANT.exec(body) ?? [];
    // Whatever it is about, a message is never dropped.
    if (resource === undefined) return this.#wakeAll();
    const claimId = `${this.processId}:${number}`;
    const grant = this.awaited.take({
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
async function listenToClaims(subscribe: Subscribe, patterns: readonly string[]): Promise<void> {
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
