import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Shape,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../core/claim.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { LeaseDriver, Unsubscribe, Waker } from '../../core/ports/ports.js';
import { SmallMap } from '../../runtime/small-map.js';
import { Bid, bidId, claimIdOf } from './bid.js';
import type { CombinationTerms } from './combination-options.js';
import type { House } from './house.js';
import type { Member } from './member.js';
import { release } from './release.js';
import { Renewal } from './renewal.js';
import { Rivals } from './rivals.js';
import { raiseTokens } from './tokens.js';
import { inspectNodes, revokeOnNodes } from './views.js';
import { Watch } from './watch.js';

export const BACKEND = 'combination';

/** What was in the way of a bid. */
interface Failure {
  readonly isVetoed: boolean;
  /** False when the fencing token did not reach enough nodes. */
  readonly isRaised: boolean;
  readonly tookMs: number;
}

/** The verbs on several nodes: docs/combination-lock.md tells the rules, and from what they protect. */
export class CombinationLeases implements LeaseDriver {
  /** What is asked for or held, by the id of the claim. What is withdrawn is not among them any more. */
  readonly #bids = new SmallMap<string, Bid>();
  readonly #watches = new Map<string, Set<Watch>>();
  readonly #rivals: Rivals;
  readonly #terms: CombinationTerms;
  #tries = 0;

  constructor(private readonly house: House) {
    this.#terms = house.terms;
    this.#rivals = new Rivals(this.#terms.clock);
  }

  async claim(claim: Claim): Promise<Verdict> {
    const { clock, minNodes, nodeTimeoutMs } = this.#terms;
    const { id, resource } = claim;
    const held = this.#heldBy(id);
    if (held !== undefined) return this.#askedAgain(held, claim);
    const startedAt = clock.now();
    if (this.house.isClosed) throw isClosed(resource);
    if (startedAt > claim.notAfter) return { kind: 'stale' };
    this.#tries += 1;
    const bid = new Bid(bidId(id, this.#tries), claim, clock, nodeTimeoutMs);
    this.#bids.set(id, bid);
    try {
      await this.#ask(bid, claim, startedAt);
      const tookMs = clock.now() - startedAt;
      const isVetoed = this.#isVetoed(bid);
      const isEnough = !isVetoed && this.#isEnough(bid, tookMs);
      const isRaised = !isEnough || claim.tokens === 0 || (await raiseTokens(bid, minNodes));
      if (isEnough && isRaised && this.#bids.get(id) === bid) return this.#grant(bid);
      return this.#refuse(bid, claim, { isVetoed, isRaised, tookMs });
    } finally {
      if (!bid.isGranted && this.#bids.get(id) === bid) this.#bids.delete(id);
    }
  }

  #ask(bid: Bid, claim: Claim, startedAt: number): Promise<void> {
    const { strategy, contention, minNodes } = this.#terms;
    const members = this.house.askable;
    if (strategy === 'majority') return this.#askAtOnce(bid, members, claim, minNodes);
    // Who asks only once is asked for in turn: of several at a time one gets it, where all at once each could veto the others.
    if (contention === 'parallelFirst' && claim.queue && !this.#rivals.areThere(claim.resource))
      return this.#askAtOnce(bid, members, claim, members.length);
    return this.#askInTurn(bid, members, claim, startedAt);
  }

  /** What is held under this id. */
  #heldBy(id: string): Bid | undefined {
    const bid = this.#bids.get(id);
    return bid?.isGranted === true ? bid : undefined;
  }

  /** What was granted is prolonged. */
  async #askedAgain({ token }: Bid, claim: Claim): Promise<Verdict> {
    const [outcome] = await this.renew([{ ...claim, keepMs: claim.holdAtLeastMs }]);
    if (outcome === 'renewed') return { kind: 'granted', token };
    if (outcome !== 'unknown') return { kind: 'refused', retryInMs: claim.leaseMs };
    throw new BackendUnavailableError(BACKEND, 'too few nodes answered', 'unknown', {
      resource: claim.resource,
    });
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    if (this.house.isClosed) return held.map(() => 'unknown');
    const { minNodes, clock } = this.#terms;
    const heldBy = (id: string): Bid | undefined => this.#heldBy(id);
    const renewal = new Renewal(held, heldBy, minNodes, clock, (bid, member) => this.#thinned(bid, member));
    return renewal.outcomes();
  }

  async withdraw({ id, resource, shape }: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    const { clock, minNodes } = this.#terms;
    const bid = this.#heldBy(id);
    this.#bids.delete(id);
    const places = options.leaveQueue ? this.#rivals.leave(resource) : [];
    for (const member of places) {
      // It holds nothing there under this id; but its process stands in line.
      if (bid?.seals.some((seal) => seal.member === member) === true) continue;
      member.withdrawals.cancel({
        ref: { id, resource, shape },
        keepMs: 0,
        leavesQueue: () => true,
        notBefore: 0,
        overAt: () => clock.now(),
      });
    }
    if (bid !== undefined) return release(bid, minNodes, options, clock);
    if (this.house.isClosed) throw isClosed(resource);
    return 'absent';
  }

  annotate({ id }: ClaimRef, note: { readonly depth: number }): void {
    const bid = this.#heldBy(id);
    for (const { member } of bid?.seals ?? []) member.node.leases.annotate(bid!, note);
  }

  inspect(resource: string, shape: Shape): Promise<readonly ClaimView[]> {
    return inspectNodes(this.house.askable, resource, shape);
  }

  revoke(resource: string, shape: Shape, how: 'atExpiry' | 'now'): Promise<boolean> {
    return revokeOnNodes(this.house.members, this.#terms.minNodes, { resource, shape, how });
  }

  async watch(resource: string, shape: Shape, waker: Waker): Promise<Unsubscribe> {
    // Claims go by other names on the nodes: whoever waits is woken.
    const watch = new Watch(resource, shape, () => waker());
    let watches = this.#watches.get(resource);
    if (watches === undefined) this.#watches.set(resource, (watches = new Set()));
    watches.add(watch);
    const end = (): void => {
      watch.end();
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(resource) === watches) this.#watches.delete(resource);
    };
    try {
      await watch.begin(this.#rivals.refuserOf(resource) ?? this.house.askable[0]!);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** Left to right, one after the other: a refusal ends it, and so does what leaves too few nodes. */
  async #askInTurn(bid: Bid, members: readonly Member[], claim: Claim, startedAt: number): Promise<void> {
    const { clock, attemptTimeoutMs, minNodes } = this.#terms;
    for (const [i, member] of members.entries()) {
      await new Promise<void>((done) => bid.ask(member, this.#queuesAt(member, members, claim), done));
      const isHopeless = bid.seals.length + members.length - i - 1 < minNodes;
      if (bid.refusal !== undefined || bid.mismatch !== undefined || isHopeless) return;
      if (clock.now() - startedAt > attemptTimeoutMs) return;
    }
  }

  /** All at once, until so many have granted or all have answered. */
  #askAtOnce(bid: Bid, members: readonly Member[], claim: Claim, enough: number): Promise<void> {
    let open = members.length;
    return new Promise((resolve) => {
      const answered = (): void => {
        open -= 1;
        if (open === 0 || bid.seals.length >= enough) resolve();
      };
      for (const member of members) bid.ask(member, this.#queuesAt(member, members, claim), answered);
    });
  }

  /** In line stands who waits at the left-most node, and where it was refused last. */
  #queuesAt(member: Member, members: readonly Member[], { queue, resource }: Claim): boolean {
    const stands = queue && this.#terms.strategy === 'leftmost';
    return stands && (member === members[0] || member === this.#rivals.refuserOf(resource));
  }

  /** One refusal is a veto; under `majority` only where too few have granted. */
  #isVetoed({ refusal, seals }: Bid): boolean {
    const { strategy, minNodes } = this.#terms;
    return refusal !== undefined && (strategy === 'leftmost' || seals.length < minNodes);
  }

  #isEnough(bid: Bid, tookMs: number): boolean {
    const { minNodes, attemptTimeoutMs } = this.#terms;
    return bid.mismatch === undefined && bid.seals.length >= minNodes && tookMs <= attemptTimeoutMs;
  }

  #grant(bid: Bid): Verdict {
    bid.isGranted = true;
    this.#rivals.granted(bid.resource, bid.seals);
    return { kind: 'granted', token: bid.token };
  }

  /** Takes everything back, and says why. */
  #refuse(bid: Bid, { id, resource }: Claim, failure: Failure): Verdict {
    const { mismatch, refusal, refuser } = bid;
    const { isVetoed } = failure;
    bid.rollBack();
    if (this.#bids.get(id) !== bid) return { kind: 'stale' };
    if (mismatch !== undefined) throw mismatch;
    if (!isVetoed && bid.isStale) return { kind: 'stale' };
    if (!isVetoed) throw this.#tooFew(bid, resource, failure);
    this.#rivals.refused(resource, refuser!, bid.standing);
    for (const watch of this.#watches.get(resource) ?? []) watch.follow(refuser!);
    const { holder } = refusal!;
    return holder === undefined
      ? refusal!
      : { ...refusal!, holder: { ...holder, id: claimIdOf(holder.id), node: refuser!.id } };
  }

  #thinned(bid: Bid, member: Member): void {
    const { minNodes } = this.#terms;
    const { resource, seals } = bid;
    this.house.changed({ kind: 'degraded', node: member.id, resource, nodes: seals.length, minNodes });
  }

  /** It was taken back, or is being: whoever asks again begins anew. */
  #tooFew({ seals }: Bid, resource: string, { tookMs, isRaised }: Failure): BackendUnavailableError {
    const { minNodes, attemptTimeoutMs } = this.#terms;
    const { members } = this.house;
    const troubles = members.filter(({ isAvailable }) => !isAvailable).map(({ trouble }) => trouble);
    if (tookMs > attemptTimeoutMs)
      troubles.push(`it took ${Math.round(tookMs)} ms, more than attemptTimeoutMs`);
    if (!isRaised) troubles.push('the fencing token did not reach enough of them before the lease was over');
    const detail = `${seals.length} of ${members.length} nodes granted, and ${minNodes} are needed (${troubles.join('; ')})`;
    const waits = members.flatMap(({ quarantineMs }) => quarantineMs ?? []);
    const retryInMs = waits.length === 0 ? undefined : Math.min(...waits);
    return new BackendUnavailableError(BACKEND, detail, 'no', {
      resource,
      ...(retryInMs !== undefined && { retryInMs }),
    });
  }
}

function isClosed(resource: string): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, 'it is closed', 'no', { resource });
}
