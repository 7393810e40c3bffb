import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  JointVerdict,
  RenewOutcome,
  Shape,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../../core/claim.js';
import { UnsupportedByBackendError } from '../../../core/errors.js';
import type { LeaseDriver, Unsubscribe, Waker } from '../../../core/ports/ports.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { AwaitedGrants } from '../presence/awaited-grants.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { BACKEND } from '../connection/failures.js';
import type { LockProtocol } from './lock-protocol.js';
import type { WakeSubscriptions } from '../presence/wake-subscriptions.js';

export interface RedisLeasesDeps {
  readonly connection: RedisConnection;
  readonly protocols: readonly LockProtocol[];
  readonly wakes: Pick<WakeSubscriptions, 'watch'>;
  readonly awaitedGrants: AwaitedGrants;
  readonly processes: ProcessDirectory;
  /** The agreement of the guarded processes, if there is one. */
  readonly agreement?: { refresh(): void } | undefined;
  readonly start: () => void;
}

/**
 * The verbs on Redis, each in the format of its kind of lock. The first call of a process waits for
 * its connection.
 */
export class RedisLeases implements LeaseDriver {
  readonly #protocolByShape = new WeakMap<Shape, LockProtocol>();

  constructor(private readonly deps: RedisLeasesDeps) {}

  claim(claim: Claim): Promise<Verdict> {
    this.#refreshPresence();
    const protocol = this.#findProtocol(claim.shape);
    if (protocol !== undefined && this.deps.connection.calls.isServing) return protocol.batches.claim(claim);
    return this.#whenServing().then(() => this.#protocolFor(claim.shape).batches.claim(claim));
  }

  async claimAll(claims: readonly Claim[]): Promise<JointVerdict> {
    this.#refreshPresence();
    if (!this.deps.connection.calls.isServing) await this.#whenServing();
    const [protocol, ...others] = new Set(claims.map(({ shape }) => this.#protocolFor(shape)));
    return protocol === undefined || others.length > 0
      ? { kind: 'separate' }
      : protocol.batches.claimAll(claims);
  }

  renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    return Promise.all(this.renewals(held).map((outcome) => outcome.catch(() => 'unknown' as const)));
  }

  /** Like `renew()`, but a renewal without an answer rejects on its own. */
  renewals(held: readonly HeldRef[]): Promise<RenewOutcome>[] {
    this.#refreshPresence();
    const outcomes: Promise<RenewOutcome>[] = [];
    for (const protocol of this.deps.protocols) {
      const own = held.flatMap((ref, at) => (this.#protocolFor(ref.shape) === protocol ? [{ ref, at }] : []));
      if (own.length === 0) continue;
      const answers = protocol.batches.renew(own.map(({ ref }) => ref));
      for (const [i, { at }] of own.entries()) outcomes[at] = answers[i]!;
    }
    return outcomes;
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    this.deps.awaitedGrants.forget(ref.id);
    const protocol = this.#findProtocol(ref.shape);
    if (protocol !== undefined && this.deps.connection.calls.isServing)
      return protocol.batches.withdraw(ref, options);
    return this.#whenServing().then(() => this.#protocolFor(ref.shape).batches.withdraw(ref, options));
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    if (this.deps.connection.calls.isServing) this.#findProtocol(ref.shape)?.batches.annotate(ref, depth);
  }

  async inspect(resource: string, shape: Shape): Promise<readonly ClaimView[]> {
    await this.#whenServing();
    return this.#protocolFor(shape).inspect(resource);
  }

  async revoke(resource: string, shape: Shape, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    await this.#whenServing();
    return this.#protocolFor(shape).revoke(resource, how, holder);
  }

  async watch(resource: string, shape: Shape, waker: Waker): Promise<Unsubscribe> {
    this.deps.start();
    const protocol = this.#protocolFor(shape);
    return this.deps.wakes.watch(
      resource,
      protocol.channels(resource),
      waker,
      protocol.claimChannelPrefix?.(resource),
    );
  }

  /** Renews the facts about this process that others read, if due. */
  #refreshPresence(): void {
    this.deps.agreement?.refresh();
    this.deps.processes.refresh();
  }

  async #whenServing(): Promise<void> {
    this.deps.start();
    await this.deps.connection.whenServing();
  }

  #findProtocol(shape: Shape): LockProtocol | undefined {
    let protocol = this.#protocolByShape.get(shape);
    if (protocol === undefined) {
      protocol = this.deps.protocols.find((one) => one.supports(shape));
      if (protocol !== undefined) this.#protocolByShape.set(shape, protocol);
    }
    return protocol;
  }

  #protocolFor(shape: Shape): LockProtocol {
    const protocol = this.#findProtocol(shape);
    if (protocol !== undefined) return protocol;
    const what = `claims of ${shape.units} of ${shape.capacity}, ${shape.mode}, ${shape.order}`;
    throw new UnsupportedByBackendError(BACKEND, what, 'use a mutex, or another backend');
  }
}
