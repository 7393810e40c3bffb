import type { Claim, ClaimRef, Verdict } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError, isLockError, type LockError } from '../../core/errors.js';
import { asLockError, mayHaveActed } from '../../core/unavailable.js';
import type { NodeHandle } from './node-handle.js';

type Refusal = Extract<Verdict, { kind: 'refused' }>;

/** A node that has granted. */
export interface NodeGrant {
  readonly handle: NodeHandle;
  /** First of the tokens that it has reserved. */
  readonly token: number;
}

/** The id of an attempt, of which a claim may need several. */
export function attemptId(claimId: string, number: number): string {
  return `${claimId}.${number}`;
}

/** The claim whose attempt has this id; an id of anybody else as it is. */
export function claimIdOf(id: string): string {
  return id.replace(/\.\d+$/, '');
}

/** One attempt to get one claim on several nodes. Its id is its own, so that what is late never touches another attempt. */
export class CombinedClaim implements ClaimRef {
  readonly grants: NodeGrant[] = [];
  /** Enough nodes have granted in time, and the claim was not withdrawn meanwhile. */
  isGranted = false;
  /** Where the process is queued now. */
  readonly queuedAt: NodeHandle[] = [];
  /** The left-most refusal, and whose it was: there the process is queued. */
  refusal: Refusal | undefined;
  refusedBy: NodeHandle | undefined;
  /** What no node could mend: the name holds something else. */
  mismatch: LockError | undefined;
  /** A node was asked too late to grant, which is not its fault. */
  isStale = false;
  /** First of the fencing tokens. */
  token = 0;
  /** When every node has let go by itself at the latest, local ms. */
  #latestEnd = 0;
  #isOver = false;
  /** Who may have granted, or may yet do so until the claim is stale; most claims have none. */
  #unanswered: Set<NodeHandle> | undefined;
  /** The claim for nodes that queue it when they refuse, and for those that do not. */
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

  /** Asks one node. @param queue be queued there when refused @param done called when it has answered, or has not */
  sendTo(handle: NodeHandle, queue: boolean, done: () => void, isAgain = false): void {
    const claim = this.#claimFor(queue);
    const sentAt = this.clock.now();
    this.extendLatestEnd(claim.notAfter + Math.max(claim.leaseMs, claim.holdAtLeastMs));
    handle.node.leases.claim(claim).then(
      (verdict) => {
        if (verdict.kind === 'stale') {
          // The answer brought what is needed for a better question.
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

  /** Nodes were asked for life until then, and may have given it without our hearing of it. */
  extendLatestEnd(until: number): void {
    this.#latestEnd = Math.max(this.#latestEnd, until);
  }

  /** The node does not have the grant any more. False when that was known. */
  removeGrant(handle: NodeHandle): boolean {
    const at = this.grants.findIndex((grant) => grant.handle === handle);
    if (at >= 0) this.grants.splice(at, 1);
    return at >= 0;
  }

  /** Takes everything back, from right to left, until it is confirmed or over. What is granted later goes the same way. */
  rollBack(): void {
    this.#isOver = true;
    for (let i = this.grants.length - 1; i >= 0; i -= 1) this.withdrawFrom(this.grants[i]!.handle);
    this.withdrawUnanswered();
  }

  /** Takes back what may have been granted without an answer. Nothing counts from here on. */
  withdrawUnanswered(): void {
    this.#isOver = true;
    for (const handle of this.#unanswered ?? []) this.withdrawFrom(handle, this.claim.notAfter);
  }

  /** @param notBefore a request may still be executed there until this local instant */
  withdrawFrom(handle: NodeHandle, notBefore = 0, keepMs = 0, leaveQueue = false): void {
    handle.withdrawals.cancel({
      ref: this,
      keepMs,
      leavesQueue: () => leaveQueue,
      notBefore,
      overAt: () => this.#latestEnd + this.nodeTimeoutMs,
    });
  }

  /** What the nodes are asked, the same of all that ask alike. */
  #claimFor(queue: boolean): Claim {
    const known = queue ? this.#queueingClaim : this.#oneTimeClaim;
    if (known !== undefined) return known;
    // The node is not waited for until `notAfter`; but what is known of its clock grows vague in a rest, and a closer bound
    // would be past before the question arrives.
    const { resource, shape, leaseMs, holdAtLeastMs, tokens, notAfter } = this.claim;
    const { id } = this;
    // A grant that nobody asked for just then would be one of a single node.
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
    // Two ways to one server are one grant.
    else if (!this.grants.some((other) => other.handle.isSameServerAs(handle))) this.grants.push(grant);
  }

  get #mayRetry(): boolean {
    return !this.#isOver && this.clock.now() < this.claim.notAfter;
  }

  #onStale(handle: NodeHandle): void {
    if (this.#isOver) return;
    // What is as late as that was held up in this process, which says nothing about the node.
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
