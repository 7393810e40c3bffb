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
import type { LeaseDriver, Unsubscribe, Waker } from '../../../core/ports/ports.js';
import { groupBy } from '../protocol/group-by.js';
import type { Router } from './router.js';
import { slotOf } from '../protocol/slot.js';

/** The verbs of locks, each on the server of the resource's slot. */
export class ClusterLeases implements LeaseDriver {
  constructor(private readonly router: Router) {}

  claim(claim: Claim): Promise<Verdict> {
    return this.router.route(claim.resource, ({ leases }) => leases.claim(claim));
  }

  async claimAll(claims: readonly Claim[]): Promise<JointVerdict> {
    const slots = new Set(claims.map(({ resource }) => slotOf(resource)));
    if (slots.size !== 1) return { kind: 'separate' };
    return this.router.route(claims[0]!.resource, ({ leases }) => leases.claimAll(claims));
  }

  /**
   * One request per server for all its grants. A grant that has moved is renewed alone at its new
   * server.
   */
  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    const outcomes = new Array<Promise<RenewOutcome>>(held.length);
    for (const [node, group] of groupBy(held.entries(), ([, { resource }]) => this.router.nodeOf(resource))) {
      const asked = node?.drivers.leases.renewals(group.map(([, ref]) => ref)) ?? [];
      for (const [i, [at, ref]] of group.entries()) outcomes[at] = this.#renewal(ref, asked[i]);
    }
    return Promise.all(outcomes);
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    return this.router.route(ref.resource, ({ leases }) => leases.withdraw(ref, options));
  }

  annotate(ref: ClaimRef, note: { readonly depth: number }): void {
    this.router.nodeOf(ref.resource)?.drivers.leases.annotate(ref, note);
  }

  inspect(resource: string, shape: Shape): Promise<readonly ClaimView[]> {
    return this.router.route(resource, ({ leases }) => leases.inspect(resource, shape));
  }

  revoke(resource: string, shape: Shape, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    return this.router.route(resource, ({ leases }) => leases.revoke(resource, shape, how, holder));
  }

  watch(resource: string, shape: Shape, waker: Waker): Promise<Unsubscribe> {
    return this.router.route(resource, ({ leases }) => leases.watch(resource, shape, waker));
  }

  #renewal(ref: HeldRef, asked: Promise<RenewOutcome> | undefined): Promise<RenewOutcome> {
    let first = asked;
    return this.router
      .route(ref.resource, ({ leases }) => {
        const answer = first ?? leases.renewals([ref])[0]!;
        first = undefined;
        return answer;
      })
      .catch(() => 'unknown');
  }
}
