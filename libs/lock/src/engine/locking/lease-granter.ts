import { WRITER } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import type { Hold } from '../holding/hold.js';
import type { LeaseEventPublisher } from '../holding/lease-event-publisher.js';
import type { LeaseKeeper } from '../holding/lease-keeper.js';
import { Lease } from '../holding/lease.js';
import { WriteLease, type WriteLeaseOwner } from '../holding/write-lease.js';
import { Waiter } from '../waiting/queued-synchronizer.js';
import type { ResourceState } from './resource-state.js';

/** What gets a lease: a waiter, or for the others of a joint claim what stands for it. */
export type Recipient = Pick<Waiter<Lease>, 'settings' | 'arrival' | 'enqueuedAt' | 'resolve'>;

/** Gives callers their leases, and counts them. */
export class LeaseGranter {
  #grants = 0;
  #handOvers = 0;

  constructor(
    private readonly clock: Clock,
    private readonly keeper: LeaseKeeper,
    private readonly publisher: LeaseEventPublisher,
    private readonly owner: WriteLeaseOwner,
  ) {}

  /** Leases given so far. */
  get grants(): number {
    return this.#grants;
  }

  /** Of these, the ones without a round trip. */
  get handOvers(): number {
    return this.#handOvers;
  }

  /** Gives a caller its lease, before listeners run. @param tries requests that it took */
  grant(state: ResourceState, hold: Hold, recipient: Recipient, tries: number): void {
    const { settings } = recipient;
    const Kind = settings.shape === WRITER ? WriteLease : Lease;
    const lease = new Kind(this.owner, hold, settings, ++this.#grants);
    hold.lease = lease;
    if (!hold.isKept) state.add(hold);
    this.keeper.keep(hold);
    recipient.resolve(lease);
    this.publisher.granted(lease, recipient, tries, recipient instanceof Waiter);
  }

  /** Gives the head of the queue its lease, and the readers behind it theirs. */
  grantHead(state: ResourceState, hold: Hold, tries: number): void {
    this.grant(state, hold, state.dequeue(), tries);
    this.grantReaders(state);
  }

  /** Gives a claim of this process to its next caller. */
  handOver(state: ResourceState, hold: Hold, recipient: Recipient): void {
    this.#handOvers += 1;
    this.grant(state, hold, recipient, 0);
  }

  /** Lets the next waiters join the hold of a reader of this process, without a round trip. */
  grantReaders(state: ResourceState): void {
    for (let { head } = state; head !== undefined; { head } = state) {
      const hold = state.joinableReadHold(head.settings, this.clock.now());
      if (hold === undefined) return;
      this.handOver(state, hold.forkReader(head.settings), state.dequeue());
    }
  }
}
