import type { Unsubscribe, Waker } from '../../../core/ports/ports.js';
import { AwaitedGrants } from '../presence/awaited-grants.js';
import { Connection } from '../connection/connection.js';
import type { LinkFactory, LinkTarget } from '../connection/link.js';
import type { ProcessRows } from '../presence/process-rows.js';
import { ServerDrivers } from '../server/server-drivers.js';
import { ServerTime } from '../connection/server-time.js';
import type { Site } from '../server/servers.js';
import type { Wakes } from '../presence/wakes.js';
import { AskingLink } from './asking-link.js';
import { ShardWakes } from './shard-wakes.js';
import { partsOf, type Address } from '../configuration/slot-map.js';

/** What the servers of a cluster share. */
export interface ClusterSite extends Site {
  readonly links: LinkFactory;
  readonly rows: ProcessRows;
  /** Subscriptions, whichever server they are made on. */
  readonly wakes: Pick<Wakes, 'watch'>;
  /** A hash tag of a slot of this server, as far as is known. */
  readonly tagAt: (address: Address) => string | undefined;
  /** Slots of this server may belong to another one by now. */
  readonly onAstray: (node: ClusterNode) => void;
}

export interface NodeRole {
  /** For requests about slots that are on their way to it. */
  readonly isAsking: boolean;
  /** Others have served before: what they granted may not have come here. */
  readonly isLate: boolean;
}

/** Where a link of Bedrock's leads within a cluster, which has one database. */
export function targetAt(address: Address): LinkTarget {
  return { ...partsOf(address), database: 0, isSharded: true };
}

/** One server of a cluster: a connection for commands, and one for subscriptions as soon as there are any. */
export class ClusterNode {
  readonly drivers: ServerDrivers;
  readonly #listening: Connection;
  readonly #wakes: ShardWakes;

  constructor(
    readonly address: Address,
    site: ClusterSite,
    { isAsking, isLate }: NodeRole,
  ) {
    const { terms, processId, onSuspect, links, tagAt, onAstray } = site;
    const { clock } = terms;
    const time = new ServerTime(clock);
    const awaited = new AwaitedGrants(time);
    const link = links.create(targetAt(address));
    this.drivers = new ServerDrivers({
      ...site,
      connection: new Connection(isAsking ? new AskingLink(link) : link, clock, terms),
      time,
      awaited,
      start: () => this.start(),
      tagHere: () => tagAt(address),
      onLost: () => onAstray(this),
      isLate,
    });
    this.#listening = new Connection(links.create(targetAt(address)), clock, terms);
    this.#wakes = new ShardWakes(() => onAstray(this), this.#listening, processId, clock, awaited, onSuspect);
  }

  get connection(): Connection {
    return this.drivers.connection;
  }

  get commands(): number {
    return this.connection.commands + this.#listening.commands;
  }

  start(): void {
    this.drivers.start();
  }

  /** As `Wakes.watch()`. */
  watch(
    resource: string,
    channels: readonly string[],
    waker: Waker,
    claimChannels?: string,
  ): Promise<Unsubscribe> {
    this.#listening.start(this.#wakes);
    return this.#wakes.watch(resource, channels, waker, claimChannels);
  }

  async close(): Promise<void> {
    this.#wakes.close();
    this.#listening.close();
    await this.drivers.close();
  }
}
