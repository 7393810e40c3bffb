import type { Backend } from 'bedrock-lock';
import { MUTEX } from 'bedrock-lock/backend';
import { redis } from 'bedrock-lock/redis';
import { sharedNow, type HistoryEvent, type ForeignWriteEvent } from 'bedrock-testkit';
import type { Node } from './deployment.js';

/** Tries to renew and to release, on single nodes, what others hold or have held. */
export class ForeignWriter {
  readonly events: HistoryEvent[] = [];
  /** The holder that it saw last on each node. */
  readonly #seen = new Map<Node, string>();

  constructor(private readonly resource: string) {}

  /** A node that does not answer is left in peace. */
  async tryNode(node: Node): Promise<void> {
    const backend = redis(node.address(false));
    try {
      await backend.ready();
      await this.#renewAndWithdraw(backend, `${backend.processId}:1`);
      const [holder] = (await node.command('HKEYS', this.resource)) as string[];
      const before = this.#seen.get(node);
      // A former holder: its turn is over for good.
      if (before !== undefined && before !== holder) await this.#renewAndWithdraw(backend, before);
      if (holder !== undefined) this.#seen.set(node, holder);
    } catch {
      this.#seen.delete(node);
    } finally {
      await backend.close();
    }
  }

  async #renewAndWithdraw({ leases }: Backend, id: string): Promise<void> {
    const { resource } = this;
    const ref = { id, resource, shape: MUTEX };
    const [renewed] = await leases.renew([{ ...ref, leaseMs: 900, keepMs: 0 }]);
    if (renewed !== 'unknown') this.#record('renew', renewed!);
    this.#record('withdraw', await leases.withdraw(ref, { keepMs: 0, leaveQueue: false }));
  }

  #record(verb: ForeignWriteEvent['verb'], outcome: string): void {
    const { resource } = this;
    this.events.push({ kind: 'meddled', at: sharedNow(), process: 'stranger', resource, verb, outcome });
  }
}
