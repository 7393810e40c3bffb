import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../core/claim.js';
import { LockTypeMismatchError, UnsupportedByBackendError } from '../../core/errors.js';
import type { LeaseDriver, Unsubscribe } from '../../core/ports.js';
import type { Connection } from './connection.js';
import { BACKEND } from './failures.js';
import { MODE_FIELD, processOf, REVOKED_FIELD, type KeyRing } from './keys.js';
import type { LeaseBatches } from './lease-batches.js';
import type { ProcessRows } from './process-rows.js';
import { runScript } from './run-script.js';
import { INSPECT, REVOKE } from './script.js';
import type { Wakes } from './wakes.js';

/** The verbs on Redis, in Redisson's format of RLock. The first call of a process waits for its connection. */
export class RedisLeases implements LeaseDriver {
  constructor(
    private readonly connection: Connection,
    private readonly batches: LeaseBatches,
    private readonly wakes: Wakes,
    private readonly rows: ProcessRows,
    private readonly ring: KeyRing,
    private readonly start: () => void,
  ) {}

  claim(claim: Claim): Promise<Verdict> {
    if (claim.order !== 'any' || claim.mode !== 'exclusive' || claim.units !== 1 || claim.capacity !== 1) {
      return Promise.reject(unsupported(claim));
    }
    this.rows.sign();
    if (this.connection.isReady) return this.batches.claim(claim);
    return this.#serving().then(() => this.batches.claim(claim));
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    this.rows.sign();
    return this.batches.renew(held);
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    if (this.connection.isReady) return this.batches.withdraw(ref, options);
    return this.#serving().then(() => this.batches.withdraw(ref, options));
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    if (this.connection.isReady) this.batches.annotate(ref, depth);
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    await this.#serving();
    const reply = await this.#run(INSPECT, resource, [resource]);
    const [ttl, ...entries] = reply as [number, ...string[]];
    const fields = new Map<string, string>();
    for (let i = 0; i < entries.length; i += 2) fields.set(entries[i]!, entries[i + 1]!);
    const mode = fields.get(MODE_FIELD);
    const revoked = fields.delete(REVOKED_FIELD);
    fields.delete(MODE_FIELD);
    const remainingMs = ttl < 0 ? Infinity : ttl;
    return Promise.all(
      Array.from(fields, async ([id, depth]): Promise<ClaimView> => {
        const process = await this.rows.find(processOf(id));
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

  async revoke(resource: string, how: 'atExpiry' | 'now'): Promise<boolean> {
    await this.#serving();
    const { lock, line, signs } = this.ring.of(resource);
    return (await this.#run(REVOKE, resource, [lock, line, signs], how)) === 1;
  }

  async watch(resource: string, wake: () => void): Promise<Unsubscribe> {
    this.start();
    return this.wakes.watch(resource, wake);
  }

  async #serving(): Promise<void> {
    this.start();
    await this.connection.whenServing();
  }

  async #run(
    script: typeof INSPECT,
    resource: string,
    keys: readonly string[],
    ...rest: string[]
  ): Promise<unknown> {
    try {
      return await runScript(this.connection.call, script, [script.sha1, keys.length, ...keys, ...rest]);
    } catch (error) {
      if (error instanceof LockTypeMismatchError) throw new LockTypeMismatchError(resource, error.detail);
      throw error;
    }
  }
}

function unsupported({ order, mode, capacity }: Claim): UnsupportedByBackendError {
  const feature =
    order === 'fifo'
      ? 'claims in arrival order'
      : mode === 'shared'
        ? 'shared claims'
        : `claims of ${capacity} units`;
  return new UnsupportedByBackendError(BACKEND, feature, 'use a mutex, or another backend');
}
