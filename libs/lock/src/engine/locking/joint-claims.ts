import { modeOf, type JointVerdict } from '../../core/claim.js';
import { outsideOfCallers } from '../../core/context.js';
import { LockBusyError, type LockError } from '../../core/errors.js';
import type { LockSettings } from '../../core/options/options.js';
import type { Backend } from '../../core/ports/ports.js';
import type { RequestObserver } from '../../core/ports/request-observer.js';
import type { Attempt } from './attempt.js';
import type { ClaimLoops } from './claim-loops.js';
import type { Claims } from './claims.js';
import type { LeaseGranter, Recipient } from './lease-granter.js';
import type { Lease } from '../holding/lease.js';
import type { Waiter } from '../waiting/queued-synchronizer.js';
import type { ResourceState } from './resource-state.js';
import type { ResourceStates } from './resource-states.js';
import { asLockError, isUnavailable, mayHaveActed } from '../../core/unavailable.js';

/** One of several locks that a caller requests together. */
export interface LockRequest {
  readonly resource: string;
  readonly settings: LockSettings;
}

/** One request for several resources. */
interface JointAttempt {
  /** In the queue of the first resource, so that its deadline, its abort and closing are those of any caller. */
  readonly caller: Waiter<Lease>;
  readonly requests: readonly LockRequest[];
  readonly states: readonly ResourceState[];
  readonly attempts: readonly Attempt[];
  /** What it got beside the lease of the first. */
  readonly others: Lease[];
}

export interface JointClaimsDeps {
  readonly backend: Backend;
  readonly states: ResourceStates;
  readonly claims: Claims;
  readonly loops: ClaimLoops;
  readonly granter: LeaseGranter;
  readonly requests: RequestObserver;
}

/**
 * Asks for several resources in one request, all or none, where no caller of this process uses any
 * of them. If it is refused, the caller is already the head of the first resource's queue, and
 * is served as any other.
 */
export class JointClaims {
  constructor(private readonly deps: JointClaimsDeps) {}

  /**
   * The lease of the first, and those of the others if one request got them all. Undefined when
   * they cannot be asked for together.
   */
  acquire(
    requests: readonly LockRequest[],
    signal: AbortSignal | undefined,
  ): Promise<readonly Lease[]> | undefined {
    if (!this.#canAskTogether(requests)) return undefined;
    const states = requests.map(({ resource }) => this.deps.states.shared(resource));
    const [{ settings }] = requests as [LockRequest];
    const [{ queue }] = states as [ResourceState];
    const turn = queue.enqueue({ settings, signal, triesOnce: settings.waitMs === 0 });
    const others: Lease[] = [];
    if (queue.head === undefined) dropIdle(states);
    else {
      const attempts = requests.map((request) => this.deps.claims.firstAttempt(request.settings));
      for (const state of states) state.isLoopRunning = true;
      const joint = { caller: queue.head, requests, states, attempts, others };
      void outsideOfCallers(() => this.#run(joint));
    }
    return turn.then((first) => [first, ...others]);
  }

  #canAskTogether(requests: readonly LockRequest[]): boolean {
    if (requests.length < 2 || this.deps.backend.leases.claimAll === undefined) return false;
    return requests.every(
      ({ resource, settings }) => settings.shape.order === 'any' && !this.deps.states.has(resource),
    );
  }

  async #run(joint: JointAttempt): Promise<void> {
    const verdict = await this.#ask(joint);
    const { caller, states } = joint;
    for (const state of states) state.isLoopRunning = false;
    if (verdict?.kind === 'granted') this.#adoptGrants(joint, verdict.tokens);
    else if (verdict?.kind === 'refused' && caller.triesOnce) {
      states[0]!.queue.reject(caller, 'busy', new LockBusyError(verdict.resource, verdict.holder));
    }
    // For callers that came meanwhile, and for this caller after a failure.
    for (const state of states) this.deps.loops.start(state);
    dropIdle(states);
  }

  /** Undefined when there was no answer; whatever it may have done is undone. */
  async #ask(joint: JointAttempt): Promise<JointVerdict | undefined> {
    const { states, attempts } = joint;
    const claims = states.map((state, i) => ({
      ...this.deps.claims.nextClaim(state, attempts[i]!, false),
      mayPush: false,
    }));
    try {
      return await this.deps.requests.observeBatch(
        'claim',
        claims,
        this.deps.backend.leases.claimAll!(claims),
      );
    } catch (error) {
      const lockError = asLockError(error, this.deps.backend.name, states[0]!.resource);
      if (mayHaveActed(lockError)) this.#giveUp(joint, claims[0]!.notAfter);
      this.#reportFailure(joint, lockError);
      return undefined;
    }
  }

  /**
   * A caller that does not wait leaves. For others, each resource is requested separately, which
   * reveals the fault.
   */
  #reportFailure({ caller, states }: JointAttempt, error: LockError): void {
    if (!isUnavailable(error)) return;
    const [{ resource, registry, queue }] = states as [ResourceState];
    if (registry.events.hasListeners('backend.unavailable'))
      registry.events.emit('backend.unavailable', {
        resource,
        mode: modeOf(caller.settings.shape),
        error,
        retryInMs: 0,
      });
    if (caller.triesOnce || caller.settings.failFast) queue.reject(caller, 'unavailable', error);
  }

  /** Gives the leases to the caller, if it is still there and all are worth something; else gives everything back. */
  #adoptGrants(joint: JointAttempt, tokens: readonly number[]): void {
    const { caller, requests, states, attempts, others } = joint;
    const now = this.deps.states.registry.clock.now();
    const holds = attempts.map((attempt, i) =>
      this.deps.claims.createHold(states[i]!, attempt, attempt.toGrant(tokens[i]!)),
    );
    const isOfUse = holds.every((hold, i) =>
      hold.isUsableFor(requests[i]!.settings, attempts[i]!.leaseMs, now),
    );
    if (!caller.isWaiting || !isOfUse) return this.#giveUp(joint, now);
    // Taken out of the queue before listeners run: one of them may abort or close.
    const waiter = states[0]!.dequeue();
    const { arrival, enqueuedAt } = waiter;
    for (const [i, hold] of holds.entries()) {
      const { settings } = requests[i]!;
      const recipient: Recipient =
        i === 0 ? waiter : { settings, arrival, enqueuedAt, resolve: (lease) => void others.push(lease) };
      this.deps.granter.grant(states[i]!, hold, recipient, 1);
    }
  }

  #giveUp({ states, attempts }: JointAttempt, inDoubtUntil: number): void {
    for (const [i, attempt] of attempts.entries()) {
      attempt.inDoubtUntil = inDoubtUntil;
      this.deps.claims.giveUp(states[i]!, attempt);
    }
  }
}

function dropIdle(states: readonly ResourceState[]): void {
  for (const state of states) state.dropIfIdle();
}
