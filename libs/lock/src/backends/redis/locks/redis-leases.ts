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
import type { AwaitedGrants } from '../presence/awaited-grants.js';
import type { Connection } from '../connection/connection.js';
import { BACKEND } from '../connection/failures.js';
import type { LockKind } from './lock-kind.js';
import type { ProcessRows } from '../presence/process-rows.js';
import type { Wakes } from '../presence/wakes.js';

export interface RedisLeasesDeps {
  readonly connection: Connection;
  readonly kinds: readonly LockKind[];
  readonly wakes: Pick<Wakes, 'watch'>;
  readonly awaited: AwaitedGrants;
  readonly rows: ProcessRows;
  readonly start: () => void;
}

/** The verbs on Redis, each in the format of its kind of lock. The first call of a process waits for its connection. */
export class RedisLeases implements LeaseDriver {
  readonly #kindOf = new WeakMap<Shape, LockKind>();

  constructor(private readonly deps: RedisLeasesDeps) {}

  claim(claim: Claim): Promise<Verdict> {
    this.deps.rows.sign();
    const kind = this.#known(claim.shape);
    if (kind !== undefined && this.deps.connection.isReady) return kind.batches.claim(claim);
    return this.#serving().then(() => this.#of(claim.shape).batches.claim(claim));
  }

  async claimAll(claims: readonly Claim[]): Promise<JointVerdict> {
    this.deps.rows.sign();
    if (!this.deps.connection.isReady) await this.#serving();
    const [kind, ...others] = new Set(claims.map(({ shape }) => this.#of(shape)));
    return kind === undefined || others.length > 0 ? { kind: 'separate' } : kind.batches.claimAll(claims);
  }

  renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    return Promise.all(this.renewals(held).map((outcome) => outcome.catch(() => 'unknown' as const)));
  }

  /** As `renew()`, but each rejects for itself when there is no answer. */
  renewals(held: readonly HeldRef[]): Promise<RenewOutcome>[] {
    this.deps.rows.sign();
    const outcomes: Promise<RenewOutcome>[] = [];
    for (const kind of this.deps.kinds) {
      const own = held.flatMap((ref, at) => (this.#of(ref.shape) === kind ? [{ ref, at }] : []));
      if (own.length === 0) continue;
      const answers = kind.batches.renew(own.map(({ ref }) => ref));
      for (const [i, { at }] of own.entries()) outcomes[at] = answers[i]!;
    }
    return outcomes;
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    this.deps.awaited.over(ref.id);
    const kind = this.#known(ref.shape);
    if (kind !== undefined && this.deps.connection.isReady) return kind.batches.withdraw(ref, options);
    return this.#serving().then(() => this.#of(ref.shape).batches.withdraw(ref, options));
  }

  annotate(ref: ClaimRef, { depth }: { readonly depth: number }): void {
    if (this.deps.connection.isReady) this.#known(ref.shape)?.batches.annotate(ref, depth);
  }

  async inspect(resource: string, shape: Shape): Promise<readonly ClaimView[]> {
    await this.#serving();
    return this.#of(shape).inspect(resource);
  }

  async revoke(resource: string, shape: Shape, how: 'atExpiry' | 'now'): Promise<boolean> {
    await this.#serving();
    return this.#of(shape).revoke(resource, how);
  }

  async watch(resource: string, shape: Shape, waker: Waker): Promise<Unsubscribe> {
    this.deps.start();
    const kind = this.#of(shape);
    return this.deps.wakes.watch(resource, kind.channels(resource), waker, kind.claimChannels?.(resource));
  }

  async #serving(): Promise<void> {
    this.deps.start();
    await this.deps.connection.whenServing();
  }

  #known(shape: Shape): LockKind | undefined {
    let kind = this.#kindOf.get(shape);
    if (kind === undefined) {
      kind = this.deps.kinds.find((one) => one.speaks(shape));
      if (kind !== undefined) this.#kindOf.set(shape, kind);
    }
    return kind;
  }

  #of(shape: Shape): LockKind {
    const kind = this.#known(shape);
    if (kind !== undefined) return kind;
    const what = `claims of ${shape.units} of ${shape.capacity}, ${shape.mode}, ${shape.order}`;
    throw new UnsupportedByBackendError(BACKEND, what, 'use a mutex, or another backend');
  }
}
