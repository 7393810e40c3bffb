import type { HeldRef, RenewOutcome } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { CombinedClaim } from './combined-claim.js';
import type { NodeHandle } from './node-handle.js';

/** The renewal of one grant, and the answers of its nodes. */
interface RenewalTally {
  readonly combined: CombinedClaim | undefined;
  renewed: number;
  isRevoked: boolean;
}

/** The part of a renewal that goes to one node. */
interface NodeBatch {
  readonly held: HeldRef[];
  readonly tallies: RenewalTally[];
}

/** Called when a node has lost a grant that is in use. */
export type OnDegraded = (combined: CombinedClaim, handle: NodeHandle) => void;

/**
 * Renews on every node that granted, and counts the confirmations of each grant. Silence confirms
 * nothing, and a grant on too few nodes is lost.
 */
export class CombinedRenewal {
  readonly #tallies: RenewalTally[];
  readonly #batches = new Map<NodeHandle, NodeBatch>();

  constructor(
    held: readonly HeldRef[],
    claimOf: (id: string) => CombinedClaim | undefined,
    private readonly minNodes: number,
    private readonly clock: Clock,
    private readonly onDegraded: OnDegraded,
  ) {
    const now = clock.now();
    this.#tallies = held.map((ref) => {
      const tally: RenewalTally = { combined: claimOf(ref.id), renewed: 0, isRevoked: false };
      tally.combined?.extendLatestEnd(now + Math.max(ref.leaseMs, ref.keepMs));
      const { grants = [] } = tally.combined ?? {};
      for (const [i, { handle }] of grants.entries()) {
        // After a reconnection, two nodes may be the same server: it confirms once.
        if (!grants.slice(0, i).some((other) => other.handle.isSameServerAs(handle)))
          this.#add(handle, tally, ref);
      }
      return tally;
    });
  }

  async outcomes(): Promise<readonly RenewOutcome[]> {
    await Promise.all(Array.from(this.#batches, ([handle, batch]) => this.#renewOn(handle, batch)));
    return this.#tallies.map((tally) => this.#outcomeOf(tally));
  }

  #add(handle: NodeHandle, tally: RenewalTally, ref: HeldRef): void {
    let batch = this.#batches.get(handle);
    if (batch === undefined) this.#batches.set(handle, (batch = { held: [], tallies: [] }));
    batch.tallies.push(tally);
    batch.held.push({ ...ref, id: tally.combined!.id, resource: ref.resource, shape: ref.shape });
  }

  async #renewOn(handle: NodeHandle, { held, tallies }: NodeBatch): Promise<void> {
    const sentAt = this.clock.now();
    const outcomes = await handle.node.leases.renew(held);
    if (outcomes.every((outcome) => outcome === 'unknown')) {
      handle.recordFailure(
        new BackendUnavailableError(handle.node.name, 'no answer to a renewal', 'unknown'),
      );
      return;
    }
    handle.recordAnswer(sentAt);
    for (const [i, outcome] of outcomes.entries()) {
      const tally = tallies[i]!;
      if (outcome === 'renewed') tally.renewed += 1;
      else if (outcome === 'revoked') tally.isRevoked = true;
      else if (outcome === 'lost' && tally.combined!.removeGrant(handle))
        this.onDegraded(tally.combined!, handle);
    }
  }

  #outcomeOf({ combined, renewed, isRevoked }: RenewalTally): RenewOutcome {
    if (combined === undefined) return 'lost';
    if (isRevoked) return 'revoked';
    if (renewed >= this.minNodes) return 'renewed';
    return combined.grants.length < this.minNodes ? 'lost' : 'unknown';
  }
}
