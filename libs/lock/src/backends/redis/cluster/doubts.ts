import { AwaitedGrants } from '../presence/awaited-grants.js';
import { Connection } from '../connection/connection.js';
import type { LinkFactory } from '../connection/link.js';
import { ServerTime } from '../connection/server-time.js';
import type { Site } from '../server/servers.js';
import { Wakes } from '../presence/wakes.js';
import { targetAt, type ClusterNode } from './cluster-node.js';

/**
 * Hears that a lock was revoked. Its holder listens to no channel of that lock, so this is told on the channel of the
 * process, which is none of a slot: it is heard on every server of the cluster, and one is enough to listen to.
 */
export class Doubts {
  #at: ClusterNode | undefined;
  #connection: Connection | undefined;
  #wakes: Wakes | undefined;
  #commandsBefore = 0;

  constructor(
    private readonly site: Site,
    private readonly links: LinkFactory,
  ) {}

  get commands(): number {
    return this.#commandsBefore + (this.#connection?.commands ?? 0);
  }

  /** Listens to one of these, to the same as before if it is among them. */
  listenTo(masters: readonly ClusterNode[]): void {
    if (this.#at !== undefined && masters.includes(this.#at)) return;
    this.close();
    this.#commandsBefore = this.commands;
    this.#connection = undefined;
    this.#at = masters[0];
    if (this.#at === undefined) return;
    const { terms, processId, onSuspect } = this.site;
    const { clock } = terms;
    const link = this.links.create({ ...targetAt(this.#at.address), isSharded: false });
    this.#connection = new Connection(link, clock, terms);
    const awaited = new AwaitedGrants(new ServerTime(clock));
    this.#wakes = new Wakes(this.#connection, processId, clock, awaited, onSuspect);
    this.#connection.start(this.#wakes);
  }

  async whenReady(ms: number): Promise<void> {
    await this.#connection?.whenReady(ms);
  }

  close(): void {
    this.#wakes?.close();
    this.#connection?.close();
  }
}
