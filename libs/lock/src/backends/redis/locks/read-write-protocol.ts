import { READERS, type ClaimRef, type ClaimView, type Shape } from '../../../core/claim.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { LockScripts } from './claim-command.js';
import { RenewCommand, type RenewItem } from './held-commands.js';
import { processOf, ResourceKeys, tagged, type KeyCache } from '../protocol/keys.js';
import type { LeaseBatches } from './lease-batches.js';
import { RW_CLAIM, RW_INSPECT, RW_RENEW, RW_REVOKE, RW_WITHDRAW } from '../protocol/script.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { encodeAscii, type ScriptInput } from '../protocol/resp-encoding.js';
import type { CallScript } from '../protocol/script-caller.js';
import { revocation, type LockProtocol } from './lock-protocol.js';

/** Redisson's suffix for the field of a writer. */
const WRITER_SUFFIX = ':write';

/** The field of the hash that represents a claim. */
function fieldOf({ id, shape }: ClaimRef): string {
  return shape.mode === 'exclusive' ? id + WRITER_SUFFIX : id;
}

export const READ_WRITE_SCRIPTS: LockScripts = {
  claim: RW_CLAIM,
  withdraw: RW_WITHDRAW,
  keysOfItem: 3,
  fieldOf,
};

/** A renewal states whether it reads or writes: renewing a writer as a reader downgrades it. */
export class ReadWriteRenewCommand extends RenewCommand {
  override readonly script = RW_RENEW;

  constructor(
    connection: RedisConnection,
    private readonly keyCache: KeyCache<ResourceKeys>,
  ) {
    super(connection);
  }

  override encode(items: readonly RenewItem[]): ScriptInput {
    let text = encodeAscii(items.length * READ_WRITE_SCRIPTS.keysOfItem);
    for (const { resource } of items) text += this.keyCache.of(resource).encoded;
    for (const { held } of items)
      text += encodeAscii(fieldOf(held)) + encodeAscii(Math.ceil(Math.max(held.leaseMs, held.keepMs)));
    return { text, count: 1 + items.length * (READ_WRITE_SCRIPTS.keysOfItem + 2) };
  }
}

/**
 * A read-write lock, in the format of Redisson's RReadWriteLock, with a queue of processes beside
 * it.
 */
export class ReadWriteProtocol implements LockProtocol {
  constructor(
    readonly batches: LeaseBatches,
    private readonly keyCache: KeyCache<ResourceKeys>,
    private readonly processes: ProcessDirectory,
    private readonly callScript: CallScript,
  ) {}

  supports({ capacity, order }: Shape): boolean {
    return capacity === READERS && order === 'any';
  }

  channels(resource: string): readonly string[] {
    const tag = tagged(resource);
    // The second channel only marks Bedrock clients: a client that listens to the first alone is
    // foreign.
    return [`redisson_rwlock:${tag}`, `bedrock_rwlock:${tag}`];
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const facts = (await this.callScript(RW_INSPECT, resource, [resource])) as (string | number)[];
    const views: Promise<ClaimView>[] = [];
    for (let at = 0; at < facts.length; at += 4) {
      const [field, depth, rest, revoked] = facts.slice(at, at + 4) as [string, string, number, 0 | 1];
      views.push(this.#view(resource, field, Number(depth), rest, revoked === 1));
    }
    return Promise.all(views);
  }

  async revoke(resource: string, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    const { lock, queue, asks } = this.keyCache.of(resource);
    return (
      (await this.callScript(RW_REVOKE, resource, [lock, queue, asks], ...revocation(how, holder))) === 1
    );
  }

  async #view(
    resource: string,
    field: string,
    depth: number,
    rest: number,
    revoked: boolean,
  ): Promise<ClaimView> {
    const writes = field.endsWith(WRITER_SUFFIX);
    const id = writes ? field.slice(0, -WRITER_SUFFIX.length) : field;
    const processId = processOf(id);
    const process = (await this.processes.find([processId])).get(processId);
    return {
      id,
      resource,
      mode: writes ? 'exclusive' : 'shared',
      units: writes ? READERS : 1,
      depth,
      revoked,
      remainingMs: rest < 0 ? Infinity : rest,
      ...(process !== undefined && { process }),
    };
  }
}
