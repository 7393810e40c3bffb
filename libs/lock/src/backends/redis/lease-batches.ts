import type {
  Claim,
  ClaimRef,
  HeldRef,
  RenewOutcome,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../core/claim.js';
import { LockTypeMismatchError } from '../../core/errors.js';
import type { ClaimItem, ClaimVerb } from './claim-verb.js';
import type { Connection } from './connection.js';
import {
  ANNOTATE_VERB,
  RENEW_VERB,
  WITHDRAW_VERB,
  type NoteItem,
  type RenewItem,
  type WithdrawItem,
} from './held-verbs.js';
import type { KeyRing } from './keys.js';
import { ScriptBatch } from './script-batch.js';

// Taken when the module loads, so that fake timers installed later cannot stop a batch.
const enqueueTick = process.nextTick.bind(process);
const enqueueMicrotask = queueMicrotask;

const ignore = (): void => undefined;

/**
 * Gathers what is asked for in one tick and sends it in one call per verb, written back to back on one connection:
 * withdrawals, then notes, then claims. So a withdraw and a claim of the same tick are executed in that order.
 */
export class LeaseBatches {
  #withdraws: WithdrawItem[] = [];
  #claims: ClaimItem[] = [];
  readonly #claimIds = new Set<string>();
  readonly #notes = new Map<string, NoteItem>();
  readonly #withdrawing: ScriptBatch<WithdrawItem>;
  readonly #claiming: ScriptBatch<ClaimItem>;
  readonly #renewing: ScriptBatch<RenewItem>;
  readonly #annotating: ScriptBatch<NoteItem>;
  #isScheduled = false;

  constructor(
    connection: Connection,
    claimVerb: ClaimVerb,
    private readonly ring: KeyRing,
  ) {
    this.#withdrawing = new ScriptBatch(connection, WITHDRAW_VERB);
    this.#claiming = new ScriptBatch(connection, claimVerb);
    this.#renewing = new ScriptBatch(connection, RENEW_VERB);
    this.#annotating = new ScriptBatch(connection, ANNOTATE_VERB);
  }

  claim(claim: Claim): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      const { resource } = claim;
      this.#claims.push({ resource, claim, keys: this.ring.of(resource), resolve, reject });
      this.#claimIds.add(claim.id);
      this.#schedule();
    });
  }

  withdraw({ id, resource }: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    // The claim itself is still here: it must not be executed after its withdraw.
    if (this.#claimIds.has(id)) this.#flush();
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

  /** Sent at once, since a keeper gathers its renewals itself. */
  renew(held: readonly HeldRef[]): Promise<RenewOutcome[]> {
    const items: RenewItem[] = [];
    const outcomes = held.map(
      (ref) =>
        new Promise<RenewOutcome>((resolve) => {
          const reject: RenewItem['reject'] = (error) =>
            resolve(error instanceof LockTypeMismatchError ? 'lost' : 'unknown');
          items.push({ resource: ref.resource, held: ref, resolve, reject });
        }),
    );
    this.#renewing.send(items);
    return Promise.all(outcomes);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the microtasks of this turn, so that all callers that one reply woke up are in the same batch.
    enqueueMicrotask(this.#flushSoon);
  }

  readonly #flushSoon = (): void => enqueueTick(this.#flush);

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
      this.#claimIds.clear();
      this.#claiming.send(claims);
    }
  };
}
