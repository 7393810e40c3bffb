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
import { SmallMap } from '../../runtime/collections/small-map.js';
import { CombinedClaim, attemptId, claimIdOf } from './combined-claim.js';
import type { CombinationSettings } from './combination-options.js';
import type { NodeSet } from './node-set.js';
import type { NodeHandle } from './node-handle.js';
import { releaseOnNodes } from './release-on-nodes.js';
import { CombinedRenewal } from './combined-renewal.js';
import { ContentionTracker } from './contention-tracker.js';
import { raiseTokens } from './raise-tokens.js';
import { inspectNodes, revokeOnNodes } from './inspect-nodes.js';
import { NodeWatch } from './node-watch.js';

export const BACKEND = 'combination';

/** Why an attempt failed. */
interface AttemptFailure {
  readonly isVetoed: boolean;
  /** False when the fencing token did not reach enough nodes. */
  readonly isTokenRaised: boolean;
  readonly tookMs: number;
}

/**
 * The verbs on several nodes. docs/backends/combination.md lists the rules and the failures that each
 * rule prevents.
 */
export class CombinationLeases implements LeaseDriver {
  /** Claims that are requested or held, by claim id. A withdrawn claim is no longer among them. */
  readonly #claims = new SmallMap<string, CombinedClaim>();
  readonly #watches = new Map<string, Set<NodeWatch>>();
  readonly #contention: ContentionTracker;
  readonly #settings: CombinationSettings;
  #attempts = 0;

  constructor(private readonly nodes: NodeSet) {
    this.#settings = nodes.settings;
    this.#contention = new ContentionTracker(this.#settings.clock);
  }

  async claim(claim: Claim): Promise<Verdict> {
    const { clock, minNodes, nodeTimeoutMs } = this.#settings;
    const { id, resource } = claim;
    const held = this.#heldClaim(id);
    if (held !== undefined) return this.#extendHeld(held, claim);
    const startedAt = clock.now();
    if (this.nodes.isClosed) throw closedError(resource);
    if (startedAt > claim.notAfter) return { kind: 'stale' };
    this.#attempts += 1;
    const combined = new CombinedClaim(attemptId(id, this.#attempts), claim, clock, nodeTimeoutMs);
    this.#claims.set(id, combined);
    try {
      await this.#attempt(combined, claim, startedAt);
      const tookMs = clock.now() - startedAt;
      const isVetoed = this.#isVetoed(combined);
      const isEnough = !isVetoed && this.#isEnough(combined, tookMs);
      const isTokenRaised = !isEnough || claim.tokens === 0 || (await raiseTokens(combined, minNodes));
      if (isEnough && isTokenRaised && this.#claims.get(id) === combined) return this.#grant(combined);
      return this.#refuse(combined, claim, { isVetoed, isTokenRaised, tookMs });
    } finally {
      if (!combined.isGranted && this.#claims.get(id) === combined) this.#claims.delete(id);
    }
  }

  #attempt(combined: CombinedClaim, claim: Claim, startedAt: number): Promise<void> {
    const { strategy, contention, minNodes } = this.#settings;
    const handles = this.nodes.candidates;
    if (strategy === 'majority') return this.#askInParallel(combined, handles, claim, minNodes);
    // A caller that tries once asks the nodes in turn. If several such callers asked all nodes at
    // once, each could veto the others; in turn, one of them wins.
    if (contention === 'parallelFirst' && claim.queue && !this.#contention.isContended(claim.resource))
      return this.#askInParallel(combined, handles, claim, handles.length);
    return this.#askSequentially(combined, handles, claim, startedAt);
  }

  /** The granted claim under this id. */
  #heldClaim(id: string): CombinedClaim | undefined {
    const combined = this.#claims.get(id);
    return combined?.isGranted === true ? combined : undefined;
  }

  /** Repeating a granted claim renews it. */
  async #extendHeld({ token }: CombinedClaim, claim: Claim): Promise<Verdict> {
    const [outcome] = await this.renew([{ ...claim, keepMs: claim.holdAtLeastMs }]);
    if (outcome === 'renewed') return { kind: 'granted', token };
    if (outcome !== 'unknown') return { kind: 'refused', retryInMs: claim.leaseMs };
    throw new BackendUnavailableError(BACKEND, 'too few nodes answered', 'unknown', {
      resource: claim.resource,
    });
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    if (this.nodes.isClosed) return held.map(() => 'unknown');
    const { minNodes, clock } = this.#settings;
    const heldClaim = (id: string): CombinedClaim | undefined => this.#heldClaim(id);
    const renewal = new CombinedRenewal(held, heldClaim, minNodes, clock, (combined, handle) =>
      this.#publishDegraded(combined, handle),
    );
    return renewal.outcomes();
  }

  async withdraw({ id, resource, shape }: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    const { clock, minNodes } = this.#settings;
    const combined = this.#heldClaim(id);
    this.#claims.delete(id);
    const queuedAt = options.leaveQueue ? this.#contention.leaveQueues(resource) : [];
    for (const handle of queuedAt) {
      // This node has no grant under this id, but it still queues the process.
      if (combined?.grants.some((grant) => grant.handle === handle) === true) continue;
      handle.withdrawals.cancel({
        ref: { id, resource, shape },
        keepMs: 0,
        leavesQueue: () => true,
        notBefore: 0,
        overAt: () => clock.now(),
      });
    }
    if (combined !== undefined) return releaseOnNodes(combined, minNodes, options, clock);
    if (this.nodes.isClosed) throw closedError(resource);
    return 'absent';
  }

  annotate({ id }: ClaimRef, note: { readonly depth: number }): void {
    const combined = this.#heldClaim(id);
    for (const { handle } of combined?.grants ?? []) handle.node.leases.annotate(combined!, note);
  }

  inspect(resource: string, shape: Shape): Promise<readonly ClaimView[]> {
    return inspectNodes(this.nodes.candidates, resource, shape);
  }

  revoke(resource: string, shape: Shape, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    return revokeOnNodes(this.nodes.handles, this.#settings.minNodes, { resource, shape, how, holder });
  }

  async watch(resource: string, shape: Shape, waker: Waker): Promise<Unsubscribe> {
    // The nodes know claims by attempt ids, so a wake cannot name its claim: it wakes every waiter.
    const watch = new NodeWatch(resource, shape, () => waker());
    let watches = this.#watches.get(resource);
    if (watches === undefined) this.#watches.set(resource, (watches = new Set()));
    watches.add(watch);
    const end = (): void => {
      watch.close();
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(resource) === watches) this.#watches.delete(resource);
    };
    try {
      await watch.subscribe(this.#contention.lastRefusedBy(resource) ?? this.nodes.candidates[0]!);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /**
   * Asks from left to right. A refusal ends the attempt, as does a failure that leaves too few
   * nodes.
   */
  async #askSequentially(
    combined: CombinedClaim,
    handles: readonly NodeHandle[],
    claim: Claim,
    startedAt: number,
  ): Promise<void> {
    const { clock, attemptTimeoutMs, minNodes } = this.#settings;
    for (const [i, handle] of handles.entries()) {
      await new Promise<void>((done) =>
        combined.sendTo(handle, this.#queuesAt(handle, handles, claim), done),
      );
      const isHopeless = combined.grants.length + handles.length - i - 1 < minNodes;
      if (combined.refusal !== undefined || combined.mismatch !== undefined || isHopeless) return;
      if (clock.now() - startedAt > attemptTimeoutMs) return;
    }
  }

  /** Asks all nodes at once, until `needed` nodes have granted or all have answered. */
  #askInParallel(
    combined: CombinedClaim,
    handles: readonly NodeHandle[],
    claim: Claim,
    needed: number,
  ): Promise<void> {
    let open = handles.length;
    return new Promise((resolve) => {
      const answered = (): void => {
        open -= 1;
        if (open === 0 || combined.grants.length >= needed) resolve();
      };
      for (const handle of handles) combined.sendTo(handle, this.#queuesAt(handle, handles, claim), answered);
    });
  }

  /** A waiter joins the queue of the left-most node, and of the node that last refused it. */
  #queuesAt(handle: NodeHandle, handles: readonly NodeHandle[], { queue, resource }: Claim): boolean {
    const waits = queue && this.#settings.strategy === 'leftmost';
    return waits && (handle === handles[0] || handle === this.#contention.lastRefusedBy(resource));
  }

  /** One refusal is a veto. Under `majority` it is one only if too few nodes have granted. */
  #isVetoed({ refusal, grants }: CombinedClaim): boolean {
    const { strategy, minNodes } = this.#settings;
    return refusal !== undefined && (strategy === 'leftmost' || grants.length < minNodes);
  }

  #isEnough(combined: CombinedClaim, tookMs: number): boolean {
    const { minNodes, attemptTimeoutMs } = this.#settings;
    return (
      combined.mismatch === undefined && combined.grants.length >= minNodes && tookMs <= attemptTimeoutMs
    );
  }

  #grant(combined: CombinedClaim): Verdict {
    combined.isGranted = true;
    this.#contention.recordGrants(combined.resource, combined.grants);
    return { kind: 'granted', token: combined.token };
  }

  /** Rolls the attempt back and reports the reason. */
  #refuse(combined: CombinedClaim, { id, resource }: Claim, failure: AttemptFailure): Verdict {
    const { mismatch, refusal, refusedBy } = combined;
    const { isVetoed } = failure;
    combined.rollBack();
    if (this.#claims.get(id) !== combined) return { kind: 'stale' };
    if (mismatch !== undefined) throw mismatch;
    if (!isVetoed && combined.isStale) return { kind: 'stale' };
    if (!isVetoed) throw this.#tooFewError(combined, resource, failure);
    this.#contention.recordRefusal(resource, refusedBy!, combined.queuedAt);
    for (const watch of this.#watches.get(resource) ?? []) watch.addNode(refusedBy!);
    const { holder } = refusal!;
    return holder === undefined
      ? refusal!
      : { ...refusal!, holder: { ...holder, id: claimIdOf(holder.id), node: refusedBy!.id } };
  }

  #publishDegraded(combined: CombinedClaim, handle: NodeHandle): void {
    const { minNodes } = this.#settings;
    const { resource, grants } = combined;
    this.nodes.publish({ kind: 'degraded', node: handle.id, resource, nodes: grants.length, minNodes });
  }

  /**
   * The error says `no`, since the rollback has run or is in flight: a retry starts from scratch.
   */
  #tooFewError(
    { grants }: CombinedClaim,
    resource: string,
    { tookMs, isTokenRaised }: AttemptFailure,
  ): BackendUnavailableError {
    const { minNodes, attemptTimeoutMs } = this.#settings;
    const { handles } = this.nodes;
    const reasons = handles.filter(({ isAvailable }) => !isAvailable).map(({ failureText }) => failureText);
    if (!isTokenRaised)
      reasons.unshift('the fencing token did not reach enough nodes before the lease ended');
    if (tookMs > attemptTimeoutMs)
      reasons.unshift(
        `it took ${Math.round(tookMs)} ms, more than attemptTimeoutMs (${attemptTimeoutMs} ms)`,
      );
    const granted = `${grants.length} of ${handles.length} nodes granted`;
    const detail =
      grants.length < minNodes
        ? `${granted}, and ${minNodes} are needed (${reasons.join('; ')})`
        : `${granted}, but ${reasons.join('; ')}`;
    const quarantines = handles.flatMap(({ quarantineMs }) => quarantineMs ?? []);
    const retryInMs = quarantines.length === 0 ? undefined : Math.min(...quarantines);
    return new BackendUnavailableError(BACKEND, detail, 'no', {
      resource,
      ...(retryInMs !== undefined && { retryInMs }),
    });
  }
}

function closedError(resource: string): BackendUnavailableError {
  return new BackendUnavailableError(BACKEND, 'it is closed', 'no', { resource });
}
