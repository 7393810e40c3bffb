import type { ClaimView, Shape } from '../../../core/claim.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { LockScripts } from './claim-command.js';
import { MODE_FIELD, processOf, REVOKED_FIELD, type LockKeys } from '../protocol/keys.js';
import type { LeaseBatches } from './lease-batches.js';
import { INSPECT, type Script } from '../protocol/script.js';
import type { CallScript } from '../protocol/script-caller.js';
import { revocation, type LockProtocol } from './lock-protocol.js';

/** A claim of Bedrock or a thread of Redisson: a UUID of the process comes first. Any other field makes no lock of a hash. */
const HOLDER = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:/i;

/** The format of a mutex whose holder is a field of a hash, as in Redisson's RLock. */
export interface MutexFormat extends LockScripts {
  readonly shape: Shape;
  readonly keysOf: (resource: string) => LockKeys;
  readonly revoke: Script;
  /** The keys of `revoke`. */
  revokedKeys(resource: string): readonly string[];
  channels(resource: string): readonly string[];
  /** See {@link LockProtocol.claimChannelPrefix}. */
  claimChannelPrefix?(resource: string, processId: string): string;
}

/** A mutex, plain or fair. */
export class MutexProtocol implements LockProtocol {
  constructor(
    private readonly format: MutexFormat,
    readonly batches: LeaseBatches,
    private readonly processes: ProcessDirectory,
    private readonly callScript: CallScript,
  ) {}

  supports({ mode, units, capacity, order }: Shape): boolean {
    const { shape } = this.format;
    return (
      mode === shape.mode && units === shape.units && capacity === shape.capacity && order === shape.order
    );
  }

  channels(resource: string): readonly string[] {
    return this.format.channels(resource);
  }

  claimChannelPrefix(resource: string): string | undefined {
    return this.format.claimChannelPrefix?.(resource, this.processes.processId);
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    const reply = await this.callScript(INSPECT, resource, [resource]);
    const [ttl, ...entries] = reply as [number, ...string[]];
    const fields = new Map<string, string>();
    for (let i = 0; i < entries.length; i += 2) fields.set(entries[i]!, entries[i + 1]!);
    const mode = fields.get(MODE_FIELD);
    const revoked = fields.has(REVOKED_FIELD);
    const remainingMs = ttl < 0 ? Infinity : ttl;
    const holders = [...fields].filter(([field]) => HOLDER.test(field));
    return Promise.all(
      holders.map(async ([id, depth]): Promise<ClaimView> => {
        const processId = processOf(id);
        const process = (await this.processes.find([processId])).get(processId);
        const isShared = mode === 'read' && !id.endsWith(':write');
        return {
          id,
          resource,
          mode: isShared ? 'shared' : 'exclusive',
          units: 1,
          depth: Number(depth),
          revoked,
          remainingMs,
          ...(process !== undefined && { process }),
        };
      }),
    );
  }

  async revoke(resource: string, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    const { revoke } = this.format;
    return (
      (await this.callScript(
        revoke,
        resource,
        this.format.revokedKeys(resource),
        ...revocation(how, holder),
      )) === 1
    );
  }
}
