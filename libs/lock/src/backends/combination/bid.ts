import type { Claim, ClaimRef, Verdict } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError, isLockError, type LockError } from '../../core/errors.js';
import { asLockError, mayHaveActed } from '../../core/unavailable.js';
import type { Member } from './member.js';

type Refusal = Extract<Verdict, { kind: 'refused' }>;

/** A node that has granted. */
export interface Seal {
  readonly member: Member;
  /** First of the tokens that it has reserved. */
  readonly token: number;
}

/** The id of a try, of which a claim may need several. */
export function bidId(claimId: string, number: number): string {
  return `${claimId}.${number}`;
}

/** The claim whose try has this id; an id of anybody else as it is. */
export function claimIdOf(id: string): string {
  return id.replace(/\.\d+$/, '');
}

/** One try to get one claim on several nodes. Its id is its own, so that what is late never touches another try. */
export class Bid implements ClaimRef {
  readonly seals: Seal[] = [];
  /** Enough nodes have granted in time, and the claim was not withdrawn meanwhile. */
  isGranted = false;
  /** Where the process stands in line now. */
  readonly standing: Member[] = [];
  /** The left-most refusal, and whose it was: there the process stands in line. */
  refusal: Refusal | undefined;
  refuser: Member | undefined;
  /** What no node could mend: the name holds something else. */
  mismatch: LockError | undefined;
  /** A node was asked too late to grant, which is not its fault. */
  isStale = false;
  /** First of the fencing tokens. */
  token = 0;
  /** When every node has let go by itself at the latest, local ms. */
  #mayLastUntil = 0;
  #isOver = false;
  /** Who may have granted, or may yet do so until the claim is stale; most bids have none. */
  #silent: Set<Member> | undefined;
  /** The claim of those who are asked to let it stand in line, and of those who are not. */
  #inLine: Claim | undefined;
  #once: Claim | undefined;

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

  /** Asks one node. @param queue stand in line there when refused @param done called when it has answered, or has not */
  ask(member: Member, queue: boolean, done: () => void, isAgain = false): void {
    const claim = this.#question(queue);
    const sentAt = this.clock.now();
    this.asked(claim.notAfter + Math.max(claim.leaseMs, claim.holdAtLeastMs));
    member.node.leases.claim(claim).then(
      (verdict) => {
        if (verdict.kind === 'stale') {
          // The answer brought what is needed for a better question.
          if (this.#mayAskAgain && !isAgain) return this.ask(member, queue, done, true);
          this.#stale(member);
        } else {
          member.answered(sentAt, true);
          if (verdict.kind === 'granted') this.#granted({ member, token: verdict.token });
          else this.#refused(member, verdict, queue);
        }
        done();
      },
      (error: unknown) => {
        this.#failed(member, error);
        done();
      },
    );
  }

  /** Nodes were asked for life until then, and may have given it without our hearing of it. */
  asked(until: number): void {
    this.#mayLastUntil = Math.max(this.#mayLastUntil, until);
  }

  /** The node does not have the grant any more. False when that was known. */
  losesSeal(member: Member): boolean {
    const at = this.seals.findIndex((seal) => seal.member === member);
    if (at >= 0) this.seals.splice(at, 1);
    return at >= 0;
  }

  /** Takes everything back, from right to left, until it is confirmed or over. What is granted later goes the same way. */
  rollBack(): void {
    this.#isOver = true;
    for (let i = this.seals.length - 1; i >= 0; i -= 1) this.takeBack(this.seals[i]!.member);
    this.takeBackSilent();
  }

  /** Takes back what may have been granted without an answer. Nothing counts from here on. */
  takeBackSilent(): void {
    this.#isOver = true;
    for (const member of this.#silent ?? []) this.takeBack(member, this.claim.notAfter);
  }

  /** @param notBefore a request may still be executed there until this local instant */
  takeBack(member: Member, notBefore = 0, keepMs = 0, leaveQueue = false): void {
    member.withdrawals.cancel({
      ref: this,
      keepMs,
      leavesQueue: () => leaveQueue,
      notBefore,
      overAt: () => this.#mayLastUntil + this.nodeTimeoutMs,
    });
  }

  /** What the nodes are asked, the same of all that ask alike. */
  #question(queue: boolean): Claim {
    const known = queue ? this.#inLine : this.#once;
    if (known !== undefined) return known;
    // The node is not waited for until `notAfter`; but what is known of its clock grows vague in a rest, and a closer bound
    // would be past before the question arrives.
    const { resource, shape, leaseMs, holdAtLeastMs, tokens, notAfter } = this.claim;
    const { id } = this;
    // A grant that nobody asked for just then would be one of a single node.
    const mayPush = false;
    const claim: Claim = { id, resource, shape, queue, mayPush, leaseMs, holdAtLeastMs, tokens, notAfter };
    if (queue) this.#inLine = claim;
    else this.#once = claim;
    return claim;
  }

  #refused(member: Member, refusal: Refusal, queue: boolean): void {
    if (queue) this.standing.push(member);
    const { refuser } = this;
    if (refuser === undefined || member.id < refuser.id) [this.refusal, this.refuser] = [refusal, member];
  }

  #granted(seal: Seal): void {
    const { member } = seal;
    if (this.#isOver) this.takeBack(member);
    // Two ways to one server are one grant.
    else if (!this.seals.some((other) => other.member.isTwinOf(member))) this.seals.push(seal);
  }

  get #mayAskAgain(): boolean {
    return !this.#isOver && this.clock.now() < this.claim.notAfter;
  }

  #stale(member: Member): void {
    if (this.#isOver) return;
    // What is as late as that was held up in this process, which says nothing about the node.
    if (this.clock.now() >= this.claim.notAfter) {
      this.isStale = true;
      return;
    }
    const detail = 'it takes requests for stale: its clock steps, or requests take too long';
    member.failed(new BackendUnavailableError(member.node.name, detail, 'no'));
  }

  #failed(member: Member, error: unknown): void {
    const lockError = asLockError(error, member.node.name, this.resource);
    if (mayHaveActed(lockError)) {
      (this.#silent ??= new Set()).add(member);
      if (this.#isOver) this.takeBack(member, this.claim.notAfter);
    }
    if (isLockError(error) && error.code !== 'BACKEND_UNAVAILABLE') this.mismatch ??= lockError;
    else member.failed(lockError);
  }
}
