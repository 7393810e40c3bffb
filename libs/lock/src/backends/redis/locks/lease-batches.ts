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
import { SmallMap } from '../../../runtime/collections/small-map.js';
import { OncePerTurn } from '../../../runtime/after-microtasks.js';
import type { ClaimItem } from './claim-command.js';
import { slotOf } from '../protocol/slot.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import type { AnnotateItem, RenewItem, WithdrawItem } from './held-commands.js';
import type { JointClaimItem } from './joint-claim-command.js';
import type { KeyCache, LockKeys } from '../protocol/keys.js';
import type { BatchCommand } from '../protocol/batch-command.js';

const ignore = (): void => undefined;

/** The batched commands of one kind of lock. */
export interface LeaseCommands {
  readonly claim: BatchCommand<ClaimItem>;
  /** Omitted if the kind cannot decide several claims in one step. */
  readonly claimAll?: BatchCommand<JointClaimItem>;
  readonly withdraw: BatchCommand<WithdrawItem>;
  readonly renew: BatchCommand<RenewItem>;
  readonly annotate: BatchCommand<AnnotateItem>;
}

/**
 * Gathers the requests of one tick and sends one call per command. The calls go back to back on one
 * connection: withdrawals, then annotations, then claims. So a withdraw and a claim of the same
 * tick are executed in that order.
 */
export class LeaseBatches {
  #withdraws: WithdrawItem[] = [];
  #claims: ClaimItem[] = [];
  #unsentClaims = new SmallMap<string, ClaimItem>();
  readonly #annotations = new Map<string, AnnotateItem>();
  /** Waits for the microtasks, so that all callers woken by one reply share the batch. */
  readonly #batch = new OncePerTurn(() => this.#flush());

  constructor(
    private readonly connection: RedisConnection,
    private readonly commands: LeaseCommands,
    private readonly keyCache: KeyCache<LockKeys>,
  ) {}

  claim(claim: Claim): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      const { resource } = claim;
      const item: ClaimItem = { resource, claim, keys: this.keyCache.of(resource), resolve, reject };
      this.#claims.push(item);
      this.#unsentClaims.set(claim.id, item);
      this.#batch.schedule();
    });
  }

  /** Sent at once, after the requests gathered so far, and never in a call with others. */
  async claimAll(claims: readonly Claim[]): Promise<JointVerdict> {
    const { claimAll } = this.commands;
    // On a cluster, a call takes only keys of one slot.
    const slots = this.connection.link.isSharded ? claims.map(({ resource }) => slotOf(resource)) : [];
    if (claimAll === undefined || new Set(slots).size > 1) return { kind: 'separate' };
    this.#flush();
    return new Promise((resolve, reject) => {
      const claimsWithKeys = claims.map((claim) => ({
        resource: claim.resource,
        claim,
        keys: this.keyCache.of(claim.resource),
      }));
      claimAll.send([{ resource: claims[0]!.resource, claims: claimsWithKeys, resolve, reject }]);
    });
  }

  withdraw({ id, resource }: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    // The claim is not sent yet: it must not be executed after its withdraw.
    if (this.#unsentClaims.has(id)) this.#flush();
    this.#annotations.delete(id);
    return new Promise<WithdrawOutcome>((resolve, reject) => {
      // A key of another type holds no grant of this claim.
      const refuse: WithdrawItem['reject'] = (error) =>
        error instanceof LockTypeMismatchError ? resolve('absent') : reject(error);
      const keys = this.keyCache.of(resource);
      this.#withdraws.push({ resource, id, keys, options, resolve, reject: refuse });
      this.#batch.schedule();
    });
  }

  annotate({ id, resource }: ClaimRef, depth: number): void {
    this.#annotations.set(id, { resource, id, depth, resolve: ignore, reject: ignore });
    this.#batch.schedule();
  }

  /**
   * Sent at once, since a keeper gathers its renewals itself. @throws LockError per item, without
   * an answer
   */
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
    this.commands.renew.send(items);
    return outcomes;
  }

  #flush(): void {
    const withdraws = this.#withdraws;
    const claims = this.#claims;
    if (withdraws.length > 0) {
      this.#withdraws = [];
      this.commands.withdraw.send(withdraws);
    }
    if (this.#annotations.size > 0) {
      const annotations = [...this.#annotations.values()];
      this.#annotations.clear();
      this.commands.annotate.send(annotations);
    }
    if (claims.length > 0) {
      this.#claims = [];
      this.#unsentClaims = new SmallMap();
      this.commands.claim.send(claims);
    }
  }
}
