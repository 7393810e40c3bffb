import type { Claim, ClaimView, Shape } from '../../../core/claim.js';
import { READERS } from '../../../core/claim.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { LockScripts } from './claim-command.js';
import { RenewCommand, type RenewItem } from './held-commands.js';
import { bedrockTag, processOf, type KeyCache, type LockKeys } from '../protocol/keys.js';
import type { LeaseBatches } from './lease-batches.js';
import {
  LEASE_SEMAPHORE_CLAIM,
  LEASE_SEMAPHORE_INSPECT,
  LEASE_SEMAPHORE_RENEW,
  LEASE_SEMAPHORE_REVOKE,
  LEASE_SEMAPHORE_WITHDRAW,
} from '../protocol/script.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { encodeText, encodeAscii, type ScriptInput } from '../protocol/resp-encoding.js';
import type { CallScript } from '../protocol/script-caller.js';
import { revocation, type LockProtocol } from './lock-protocol.js';

/**
 * The names that belong to a semaphore: its permits, its queue, the requests of the queue, and the
 * ends of the leases.
 */
export class SemaphoreKeys implements LockKeys {
  readonly encoded: string;
  /** Permits have no tokens. */
  readonly token = '';

  constructor(private readonly resource: string) {
    this.encoded = this.all.map(encodeText).join('');
  }

  get all(): readonly string[] {
    const tag = bedrockTag(this.resource);
    return [
      `bedrock_units${tag}`,
      `bedrock_units_order${tag}`,
      `bedrock_units_asks${tag}`,
      `bedrock_units_ends${tag}`,
    ];
  }
}

export const SEMAPHORE_SCRIPTS: LockScripts = {
  claim: LEASE_SEMAPHORE_CLAIM,
  withdraw: LEASE_SEMAPHORE_WITHDRAW,
  keysOfItem: 4,
  amountOf: ({ shape }: Claim) => `${shape.units} ${shape.capacity}`,
};

/** `renew` of permits on the wire. */
export class SemaphoreRenewCommand extends RenewCommand {
  override readonly script = LEASE_SEMAPHORE_RENEW;

  constructor(
    connection: RedisConnection,
    private readonly keyCache: KeyCache<SemaphoreKeys>,
  ) {
    super(connection);
  }

  override encode(items: readonly RenewItem[]): ScriptInput {
    const keys = items.length * SEMAPHORE_SCRIPTS.keysOfItem;
    let text = encodeAscii(keys);
    for (const { resource } of items) text += this.keyCache.of(resource).encoded;
    for (const { held } of items)
      text += encodeAscii(held.id) + encodeAscii(Math.ceil(Math.max(held.leaseMs, held.keepMs)));
    return { text, count: 1 + keys + items.length * 2 };
  }
}

/** Permits of Bedrock's own semaphore, which other libraries cannot read. */
export class SemaphoreProtocol implements LockProtocol {
  constructor(
    readonly batches: LeaseBatches,
    private readonly processes: ProcessDirectory,
    private readonly callScript: CallScript,
  ) {}

  supports({ mode, capacity, order }: Shape): boolean {
    return mode === 'shared' && capacity < READERS && order === 'any';
  }

  /** All waiters are in the queue, so the server wakes them on the channels of their processes. */
  channels(): readonly string[] {
    return [];
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const { all } = new SemaphoreKeys(resource);
    const reply = (await this.callScript(LEASE_SEMAPHORE_INSPECT, resource, all)) as (string | number)[];
    const views: ClaimView[] = [];
    for (let at = 0; at < reply.length; at += 3) {
      const [id, remainingMs, held] = reply.slice(at) as [string, number, string];
      const [units, mark] = held.split(' ');
      views.push({
        id,
        resource,
        mode: 'shared',
        units: Number(units),
        depth: 1,
        revoked: mark !== undefined,
        remainingMs,
      });
    }
    return this.#withProcesses(views);
  }

  async revoke(resource: string, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    const { all } = new SemaphoreKeys(resource);
    return (await this.callScript(LEASE_SEMAPHORE_REVOKE, resource, all, ...revocation(how, holder))) === 1;
  }

  /** Looks each process up once, since it may hold many permits. */
  async #withProcesses(views: readonly ClaimView[]): Promise<readonly ClaimView[]> {
    const processes = await this.processes.find(views.map(({ id }) => processOf(id)));
    return views.map((view) => {
      const process = processes.get(processOf(view.id));
      return process === undefined ? view : { ...view, process };
    });
  }
}
