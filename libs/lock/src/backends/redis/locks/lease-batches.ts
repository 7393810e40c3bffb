import type {
  Claim,
  ClaimRef,
  HeldRef,
  JointVerdict,
  RenewOutcome,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../../core/claim.js';
import { LockTypeMismatchError } from '../../../core/errors.js';
import { SmallMap } from '../../../runtime/small-map.js';
import { afterMicrotasks } from '../../../runtime/after-microtasks.js';
import type { ClaimItem } from './claim-verb.js';
import { slotOf } from '../protocol/slot.js';
import type { Connection } from '../connection/connection.js';
import { ANNOTATE_VERB, RENEW_VERB, type NoteItem, type RenewItem, type WithdrawItem } from './held-verbs.js';
import type { JointClaimItem } from './joint-claim-verb.js';
import type { KeyRing, LockKeys } from '../protocol/keys.js';
import type { ReplicaAcks } from '../protocol/replica-acks.js';
import { ScriptBatch, type BatchVerb } from '../protocol/script-batch.js';

const ignore = (): void => undefined;

/** The batched verbs of one kind of lock; renewals and notes are those of a lock hash where there are no others. */
export interface LeaseVerbs {
  readonly claim: BatchVerb<ClaimItem>;
  /** Left out where several are not decided in one step. */
  readonly claimAll?: BatchVerb<JointClaimItem>;
  readonly withdraw: BatchVerb<WithdrawItem>;
  readonly renew?: BatchVerb<RenewItem>;
  readonly annotate?: BatchVerb<NoteItem>;
}

/**
 * Gathers what is asked for in one tick and sends it in one call per verb, written back to back on one connection:
 * withdrawals, then notes, then claims. So a withdraw and a claim of the same tick are executed in that order.
 */
export class LeaseBatches {
  #withdraws: WithdrawItem[] = [];
  #claims: ClaimItem[] = [];
  #asked = new SmallMap<string, ClaimItem>();
  readonly #notes = new Map<string, NoteItem>();
  readonly #withdrawing: ScriptBatch<WithdrawItem>;
  readonly #claiming: ScriptBatch<ClaimItem>;
  readonly #joining: ScriptBatch<JointClaimItem> | undefined;
  readonly #renewing: ScriptBatch<RenewItem>;
  readonly #annotating: ScriptBatch<NoteItem>;
  #isScheduled = false;

  constructor(
    private readonly connection: Connection,
    verbs: LeaseVerbs,
    private readonly ring: KeyRing<LockKeys>,
    acks?: ReplicaAcks,
  ) {
    this.#withdrawing = new ScriptBatch(connection, verbs.withdraw);
    this.#claiming = new ScriptBatch(connection, verbs.claim, acks);
    this.#joining = verbs.claimAll && new ScriptBatch(connection, verbs.claimAll, acks);
    this.#renewing = new ScriptBatch(connection, verbs.renew ?? RENEW_VERB);
    this.#annotating = new ScriptBatch(connection, verbs.annotate ?? ANNOTATE_VERB);
  }

  claim(claim: Claim): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      const { resource } = claim;
      const item: ClaimItem = { resource, claim, keys: this.ring.of(resource), resolve, reject };
      this.#claims.push(item);
      this.#asked.set(claim.id, item);
      this.#schedule();
    });
  }

  /** Sent at once, after what was asked for before; never in a call with others. */
  async claimAll(claims: readonly Claim[]): Promise<JointVerdict> {
    const joining = this.#joining;
    // A server of a cluster takes the keys of one slot in a call.
    const slots = this.connection.link.isSharded ? claims.map(({ resource }) => slotOf(resource)) : [];
    if (joining === undefined || new Set(slots).size > 1) return { kind: 'separate' };
    this.#flush();
    return new Promise((resolve, reject) => {
      const wired = claims.map((claim) => ({
        resource: claim.resource,
        claim,
        keys: this.ring.of(claim.resource),
      }));
      joining.send([{ resource: claims[0]!.resource, claims: wired, resolve, reject }]);
    });
  }

  withdraw({ id, resource }: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    // The claim itself is still here: it must not be executed after its withdraw.
    if (this.#asked.has(id)) this.#flush();
    this.#notes.delete(id);
    return new Promise<WithdrawOutcome>((resolve, reject) => {
      // A key of another type holds no grant of anybody.
      const refuse: WithdrawItem['reject'] = (error) =>
        error instanceof LockTypeMismatchError ? resolve('absent') : reject(error);
      const keys = this.ring.of(resource);
      this.#withdraws.push({ resource, id, keys, options, resolve, reject: refuse });
      this.#schedule();
    });
  }

  annotate({ id, resource }: ClaimRef, depth: number): void {
    this.#notes.set(id, { resource, id, depth, resolve: ignore, reject: ignore });
    this.#schedule();
  }

  /** Sent at once, since a keeper gathers its renewals itself. @throws LockError each for itself, without an answer */
  renew(held: readonly HeldRef[]): Promise<RenewOutcome>[] {
    const items: RenewItem[] = [];
    const outcomes = held.map(
      (ref) =>
        new Promise<RenewOutcome>((resolve, reject) => {
          const refuse: RenewItem['reject'] = (error) =>
            error instanceof LockTypeMismatchError ? resolve('lost') : reject(error);
          items.push({ resource: ref.resource, held: ref, resolve, reject: refuse });
        }),
    );
    this.#renewing.send(items);
    return outcomes;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // All callers that one reply woke up are in the same batch.
    afterMicrotasks(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    const withdraws = this.#withdraws;
    const claims = this.#claims;
    if (withdraws.length > 0) {
      this.#withdraws = [];
      this.#withdrawing.send(withdraws);
    }
    if (this.#notes.size > 0) {
      const notes = [...this.#notes.values()];
      this.#notes.clear();
      this.#annotating.send(notes);
    }
    if (claims.length > 0) {
      this.#claims = [];
      this.#asked = new SmallMap();
      this.#claiming.send(claims);
    }
  };
}
