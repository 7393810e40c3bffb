import { redisCommand } from './redis-command.js';
import type { RunningServer } from './running-server.js';

interface Node {
  readonly server: RunningServer;
  readonly id: string;
}

const MIGRATE_MS = 5_000;

/** A slot on its way from one master to another. Between the steps, keys may be at either. */
export class SlotMove {
  constructor(
    readonly slot: number,
    readonly from: Node,
    readonly to: Node,
    private readonly masters: readonly Node[],
  ) {}

  /**
   * Both sides know that the slot is moving: from now on, keys missing on the old side are requested from the new one.
   */
  async begin(): Promise<void> {
    await redisCommand(this.to.server, 'CLUSTER', 'SETSLOT', this.slot, 'IMPORTING', this.from.id);
    await redisCommand(this.from.server, 'CLUSTER', 'SETSLOT', this.slot, 'MIGRATING', this.to.id);
  }

  /** Moves at most `count` keys; gives how many. */
  async moveKeys(count = 1_000): Promise<number> {
    const { host, port } = this.to.server;
    const keys = (await redisCommand(
      this.from.server,
      'CLUSTER',
      'GETKEYSINSLOT',
      this.slot,
      count,
    )) as string[];
    if (keys.length === 0) return 0;
    await redisCommand(this.from.server, 'MIGRATE', host, port, '', 0, MIGRATE_MS, 'KEYS', ...keys);
    return keys.length;
  }

  /** The slot belongs to the new master. Keys that came meanwhile are moved first. */
  async finish(): Promise<void> {
    while ((await this.moveKeys()) > 0);
    for (const { server } of [this.to, this.from, ...this.masters]) {
      await redisCommand(server, 'CLUSTER', 'SETSLOT', this.slot, 'NODE', this.to.id);
    }
  }
}
