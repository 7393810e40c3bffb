import type { HeldRef, RenewOutcome } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { Bid } from './bid.js';
import type { Member } from './member.js';

/** What is renewed of one grant, and what its nodes have answered. */
interface Tally {
  readonly bid: Bid | undefined;
  renewed: number;
  isRevoked: boolean;
}

/** The part of a renewal that goes to one node. */
interface Share {
  readonly held: HeldRef[];
  readonly tallies: Tally[];
}

/** Who hears that a node has lost a grant which is in use. */
export type OnThinned = (bid: Bid, member: Member) => void;

/**
 * Renews on every node that has granted, and counts per grant who has confirmed it: silence confirms nothing, and a grant
 * that too few nodes have is lost.
 */
export class Renewal {
  readonly #tallies: Tally[];
  readonly #shares = new Map<Member, Share>();

  constructor(
    held: readonly HeldRef[],
    bidOf: (id: string) => Bid | undefined,
    private readonly minNodes: number,
    private readonly clock: Clock,
    private readonly onThinned: OnThinned,
  ) {
    const now = clock.now();
    this.#tallies = held.map((ref) => {
      const tally: Tally = { bid: bidOf(ref.id), renewed: 0, isRevoked: false };
      tally.bid?.asked(now + Math.max(ref.leaseMs, ref.keepMs));
      const { seals = [] } = tally.bid ?? {};
      for (const [i, { member }] of seals.entries()) {
        // A connection may have come to lead to the server of another node: one server confirms once.
        if (!seals.slice(0, i).some((other) => other.member.isTwinOf(member))) this.#add(member, tally, ref);
      }
      return tally;
    });
  }

  async outcomes(): Promise<readonly RenewOutcome[]> {
    await Promise.all(Array.from(this.#shares, ([member, share]) => this.#ask(member, share)));
    return this.#tallies.map((tally) => this.#outcomeOf(tally));
  }

  #add(member: Member, tally: Tally, ref: HeldRef): void {
    let share = this.#shares.get(member);
    if (share === undefined) this.#shares.set(member, (share = { held: [], tallies: [] }));
    share.tallies.push(tally);
    share.held.push({ ...ref, id: tally.bid!.id, resource: ref.resource, shape: ref.shape });
  }

  async #ask(member: Member, { held, tallies }: Share): Promise<void> {
    const sentAt = this.clock.now();
    const outcomes = await member.node.leases.renew(held);
    if (outcomes.every((outcome) => outcome === 'unknown')) {
      member.failed(new BackendUnavailableError(member.node.name, 'no answer to a renewal', 'unknown'));
      return;
    }
    member.answered(sentAt);
    for (const [i, outcome] of outcomes.entries()) {
      const tally = tallies[i]!;
      if (outcome === 'renewed') tally.renewed += 1;
      else if (outcome === 'revoked') tally.isRevoked = true;
      else if (outcome === 'lost' && tally.bid!.losesSeal(member)) this.onThinned(tally.bid!, member);
    }
  }

  #outcomeOf({ bid, renewed, isRevoked }: Tally): RenewOutcome {
    if (bid === undefined) return 'lost';
    if (isRevoked) return 'revoked';
    if (renewed >= this.minNodes) return 'renewed';
    return bid.seals.length < this.minNodes ? 'lost' : 'unknown';
  }
}
