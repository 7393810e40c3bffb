import { AwaitedGrants } from '../presence/awaited-grants.js';
import { RedisConnection } from '../connection/redis-connection.js';
import type { LinkFactory } from '../connection/link.js';
import { RedisClockOffset } from '../connection/clock-offset.js';
import type { RedisServerDeps } from '../server/servers.js';
import { WakeSubscriptions } from '../presence/wake-subscriptions.js';
import { linkTargetFor, type ClusterNode } from './cluster-node.js';

/**
 * Hears that a lock was revoked. Its holder listens to no channel of that lock, so this is told on the channel of the
 * process, which is none of a slot: it is heard on every server of the cluster, and one is enough to listen to.
 */
export class RevocationListener {
  #node: ClusterNode | undefined;
  #connection: RedisConnection | undefined;
  #wakes: WakeSubscriptions | undefined;
  #retiredCommands = 0;

  constructor(
    private readonly deps: RedisServerDeps,
    private readonly links: LinkFactory,
  ) {}

  get commands(): number {
    return this.#retiredCommands + (this.#connection?.commands ?? 0);
  }

  /** Listens to one of these, to the same as before if it is among them. */
  listenTo(masters: readonly ClusterNode[]): void {
    if (this.#node !== undefined && masters.includes(this.#node)) return;
    this.close();
    this.#retiredCommands = this.commands;
    this.#connection = undefined;
    this.#node = masters[0];
    if (this.#node === undefined) return;
    const { settings, processId, onSuspect } = this.deps;
    const { clock } = settings;
    const link = this.links.create({ ...linkTargetFor(this.#node.address), isSharded: false });
    this.#connection = new RedisConnection(link, clock, settings);
    const awaitedGrants = new AwaitedGrants(new RedisClockOffset(clock));
    this.#wakes = new WakeSubscriptions(this.#connection, processId, clock, awaitedGrants, onSuspect);
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
