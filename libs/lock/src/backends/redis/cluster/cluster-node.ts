import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import { ClockOffset } from '../../kit/clock-offset.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import { AwaitedGrants } from '../presence/awaited-grants.js';
import { RedisConnection } from '../connection/redis-connection.js';
import type { LinkFactory, RedisLinkTarget } from '../connection/link.js';
import { ServerDrivers } from '../server/server-drivers.js';
import type { RedisServerDeps } from '../server/servers.js';
import type { WakeSubscriptions } from '../presence/wake-subscriptions.js';
import { AskingLink } from './asking-link.js';
import { ShardWakeSubscriptions } from './shard-wake-subscriptions.js';
import { partsOf, type Address } from '../configuration/slot-map.js';

/** Dependencies that all servers of a cluster share. */
export interface ClusterNodeDeps extends RedisServerDeps {
  readonly links: LinkFactory;
  readonly processes: ProcessDirectory;
  /** Subscriptions, on whichever server they are. */
  readonly wakes: Pick<WakeSubscriptions, 'watch'>;
  /** A hash tag of a slot of this server, as far as known. */
  readonly hashTagAt: (address: Address) => string | undefined;
  /** Slots of this server may belong to another one by now. */
  readonly onSlotsMoved: (node: ClusterNode) => void;
}

export interface NodeRole {
  /** For requests about slots that are moving to this server. */
  readonly isAsking: boolean;
  /** Other servers served before: their grants may be missing here. */
  readonly joinedLater: boolean;
}

/** The target of a link within a cluster, which has one database. */
export function linkTargetFor(address: Address): RedisLinkTarget {
  return { ...partsOf(address), database: 0, isSharded: true };
}

/**
 * One server of a cluster: a command connection, and a subscription connection once it is needed.
 */
export class ClusterNode {
  readonly drivers: ServerDrivers;
  readonly #subscriptionConnection: RedisConnection;
  readonly #wakes: ShardWakeSubscriptions;

  constructor(
    readonly address: Address,
    deps: ClusterNodeDeps,
    { isAsking, joinedLater }: NodeRole,
  ) {
    const { settings, processId, onSuspect, links, hashTagAt, onSlotsMoved } = deps;
    const { clock } = settings;
    const clockOffset = new ClockOffset(clock, 'ms');
    const awaitedGrants = new AwaitedGrants(clockOffset);
    const link = links.create(linkTargetFor(address));
    this.drivers = new ServerDrivers({
      ...deps,
      connection: new RedisConnection(isAsking ? new AskingLink(link) : link, clock, settings),
      clockOffset,
      awaitedGrants,
      start: () => this.start(),
      ownHashTag: () => hashTagAt(address),
      onLost: () => onSlotsMoved(this),
      joinedLater,
    });
    this.#subscriptionConnection = new RedisConnection(links.create(linkTargetFor(address)), clock, settings);
    this.#wakes = new ShardWakeSubscriptions(
      () => onSlotsMoved(this),
      this.#subscriptionConnection,
      processId,
      clock,
      awaitedGrants,
      onSuspect,
    );
  }

  get connection(): RedisConnection {
    return this.drivers.connection;
  }

  get commands(): number {
    return this.connection.calls.sent + this.#subscriptionConnection.calls.sent;
  }

  start(): void {
    this.drivers.start();
  }

  /** Like `WakeSubscriptions.watch()`. */
  watch(
    resource: string,
    channels: readonly string[],
    waker: Waker,
    claimChannelPrefix?: string,
  ): Promise<Unsubscribe> {
    this.#subscriptionConnection.start(this.#wakes);
    return this.#wakes.watch(resource, channels, waker, claimChannelPrefix);
  }

  async close(): Promise<void> {
    this.#wakes.close();
    this.#subscriptionConnection.close();
    await this.drivers.close();
  }
}
