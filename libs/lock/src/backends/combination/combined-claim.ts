import type { Claim, ClaimRef, Verdict } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError, isLockError, type LockError } from '../../core/errors.js';
import { asLockError, mayHaveActed } from '../../core/unavailable.js';
import type { NodeHandle } from './node-handle.js';

type Refusal = Extract<Verdict, { kind: 'refused' }>;

/** A node that granted the claim. */
export interface NodeGrant {
  readonly handle: NodeHandle;
  /** First of the tokens that the node reserved. */
  readonly token: number;
}

/** The id of an attempt; one claim may need several attempts. */
export function attemptId(claimId: string, number: number): string {
  return `${claimId}.${number}`;
}

/** The claim behind the id of an attempt; any other id is returned unchanged. */
export function claimIdOf(id: string): string {
  return id.replace(/\.\d+$/, '');
}

/**
 * One attempt to get one claim on several nodes. It has an id of its own, so a late request never
 * touches another attempt.
 */
export class CombinedClaim implements ClaimRef {
  readonly grants: NodeGrant[] = [];
  /** Enough nodes granted in time, and the claim was not withdrawn meanwhile. */
  isGranted = false;
  /** The nodes that queue this process now. */
  readonly queuedAt: NodeHandle[] = [];
  /** The left-most refusal, and the node it came from: there the process is queued. */
  refusal: Refusal | undefined;
  refusedBy: NodeHandle | undefined;
  /** An error that no node can fix: the name holds another type. */
  mismatch: LockError | undefined;
  /** A request reached a node too late to be granted, through no fault of the node. */
  isStale = false;
  /** First of the fencing tokens. */
  token = 0;
  /** Latest local time at which every node has dropped the grant by itself, in ms. */
  #latestEnd = 0;
  #isOver = false;
  /** Nodes that may have granted, or may do so until the claim is stale; most claims have none. */
  #unanswered: Set<NodeHandle> | undefined;
  /** One claim for nodes that queue it after a refusal, one for nodes that do not. */
  #queueingClaim: Claim | undefined;
  #oneTimeClaim: Claim | undefined;

  constructor(
    readonly id: string,
    private readonly claim: Claim,
    private readonly clock: Clock,
    private readonly nodeTimeoutMs: number,
  ) {}

  get resource(): string {
    return this.claim.resource;
  }

  get shape(): Claim['shape'] {
    return this.claim.shape;
  }

  get tokens(): number {
    return this.claim.tokens;
  }

  /**
   * Asks one node. @param queue join its queue after a refusal @param done called after the answer,
   * or when none came
   */
  sendTo(handle: NodeHandle, queue: boolean, done: () => void, isAgain = false): void {
    const claim = this.#claimFor(queue);
    const sentAt = this.clock.now();
    this.extendLatestEnd(claim.notAfter + Math.max(claim.leaseMs, claim.holdAtLeastMs));
    handle.node.leases.claim(claim).then(
      (verdict) => {
        if (verdict.kind === 'stale') {
          // The stale answer brought a clock sample, so the next request carries a better bound.
          if (this.#mayRetry && !isAgain) return this.sendTo(handle, queue, done, true);
          this.#onStale(handle);
        } else {
          handle.recordAnswer(sentAt, true);
          if (verdict.kind === 'granted') this.#onGranted({ handle, token: verdict.token });
          else this.#onRefused(handle, verdict, queue);
        }
        done();
      },
      (error: unknown) => {
        this.#onFailed(handle, error);
        done();
      },
    );
  }

  /**
   * The nodes were asked to keep the claim until then. They may do so although no answer arrived.
   */
  extendLatestEnd(until: number): void {
    this.#latestEnd = Math.max(this.#latestEnd, until);
  }

  /** Records that the node lost the grant. False when that was known. */
  removeGrant(handle: NodeHandle): boolean {
    const at = this.grants.findIndex((grant) => grant.handle === handle);
    if (at >= 0) this.grants.splice(at, 1);
    return at >= 0;
  }

  /**
   * Withdraws from all nodes, from right to left, until each confirms or its grant is over. A later
   * grant is withdrawn too.
   */
  rollBack(): void {
    this.#isOver = true;
    for (let i = this.grants.length - 1; i >= 0; i -= 1) this.withdrawFrom(this.grants[i]!.handle);
    this.withdrawUnanswered();
  }

  /** Withdraws from nodes that may have granted without an answer. Later answers do not count. */
  withdrawUnanswered(): void {
    this.#isOver = true;
    for (const handle of this.#unanswered ?? []) this.withdrawFrom(handle, this.claim.notAfter);
  }

  /** @param notBefore local time until which the node may still execute a request */
  withdrawFrom(handle: NodeHandle, notBefore = 0, keepMs = 0, leaveQueue = false): void {
    handle.withdrawals.cancel({
      ref: this,
      keepMs,
      leavesQueue: () => leaveQueue,
      notBefore,
      overAt: () => this.#latestEnd + this.nodeTimeoutMs,
    });
  }

  /** One request object for all nodes that are asked the same. */
  #claimFor(queue: boolean): Claim {
    const known = queue ? this.#queueingClaim : this.#oneTimeClaim;
    if (known !== undefined) return known;
    // `notAfter` stays as it is, although no node is awaited that long. The estimate of a node's
    // clock grows vague at rest: a closer bound could be past before the request arrives.
    const { resource, shape, leaseMs, holdAtLeastMs, tokens, notAfter } = this.claim;
    const { id } = this;
    // A pushed grant would come from a single node, outside any attempt.
    const mayPush = false;
    const claim: Claim = { id, resource, shape, queue, mayPush, leaseMs, holdAtLeastMs, tokens, notAfter };
    if (queue) this.#queueingClaim = claim;
    else this.#oneTimeClaim = claim;
    return claim;
  }

  #onRefused(handle: NodeHandle, refusal: Refusal, queue: boolean): void {
    if (queue) this.queuedAt.push(handle);
    const { refusedBy } = this;
    if (refusedBy === undefined || handle.id < refusedBy.id)
      [this.refusal, this.refusedBy] = [refusal, handle];
  }

  #onGranted(grant: NodeGrant): void {
    const { handle } = grant;
    if (this.#isOver) this.withdrawFrom(handle);
    // Two connections to one server count as one grant.
    else if (!this.grants.some((other) => other.handle.isSameServerAs(handle))) this.grants.push(grant);
  }

  get #mayRetry(): boolean {
    return !this.#isOver && this.clock.now() < this.claim.notAfter;
  }

  #onStale(handle: NodeHandle): void {
    if (this.#isOver) return;
    // A delay this long arose in this process, so it does not count against the node.
    if (this.clock.now() >= this.claim.notAfter) {
      this.isStale = true;
      return;
    }
    const detail = 'it rejects requests as stale: its clock jumps, or requests take too long';
    handle.recordFailure(new BackendUnavailableError(handle.node.name, detail, 'no'));
  }

  #onFailed(handle: NodeHandle, error: unknown): void {
    const lockError = asLockError(error, handle.node.name, this.resource);
    if (mayHaveActed(lockError)) {
      (this.#unanswered ??= new Set()).add(handle);
      if (this.#isOver) this.withdrawFrom(handle, this.claim.notAfter);
    }
    if (isLockError(error) && error.code !== 'BACKEND_UNAVAILABLE') this.mismatch ??= lockError;
    else handle.recordFailure(lockError);
  }
}
