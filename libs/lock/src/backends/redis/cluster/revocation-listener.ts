import { ClockOffset } from '../../kit/clock-offset.js';
import { AwaitedGrants } from '../presence/awaited-grants.js';
import { RedisConnection } from '../connection/redis-connection.js';
import type { LinkFactory } from '../connection/link.js';
import type { RedisServerDeps } from '../server/servers.js';
import { WakeSubscriptions } from '../presence/wake-subscriptions.js';
import { linkTargetFor, type ClusterNode } from './cluster-node.js';

/**
 * Listens for revocations of locks. The holder listens to no channel of its lock, so revocations
 * come on the channel of the process. That channel belongs to no slot: every server of the cluster
 * delivers it, so one connection is enough.
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
    return this.#retiredCommands + (this.#connection?.calls.sent ?? 0);
  }

  /** Listens on one of these masters: on the current one if it is among them. */
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
    const awaitedGrants = new AwaitedGrants(new ClockOffset(clock, 'ms'));
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
