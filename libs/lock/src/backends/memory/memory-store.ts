import { isAdmitted } from '../../core/admission.js';
import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  JointVerdict,
  ProcessView,
  RenewOutcome,
  Shape,
  Verdict,
  Wake,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../core/claim.js';
import type { ProcessEntry } from '../../core/ports/admin.js';
import { systemClock, type Clock } from '../../core/clock.js';
import { QUEUE_TIMING } from '../../core/queue-timing.js';
import { suspendAware } from '../../core/suspend-aware-clock.js';
import { MemoryCountStore } from './memory-count-store.js';
import { MemoryRecordStore } from './memory-records.js';

const { headLifeMs } = QUEUE_TIMING;
/** Tokens exceed the time in µs, as on Redis. */
const TOKENS_PER_MS = 1_000;

interface StoredGrant {
  readonly id: string;
  shape: Shape;
  readonly process: ProcessView;
  until: number;
  depth: number;
  isRevoked: boolean;
}

interface StoredWaiter {
  /** The process for claims in any order; the claim for fifo. */
  readonly key: string;
  readonly processId: string;
  readonly shape: Shape;
  readonly seenAt: number;
}

interface StoredResource {
  readonly grants: Map<string, StoredGrant>;
  queue: StoredWaiter[];
}

/** The state that decides a claim. */
interface ClaimContext {
  readonly stored: StoredResource;
  /** The grant that the claim has already. */
  readonly own: StoredGrant | undefined;
  /** Its key and position in the queue, -1 for none, and the waiters ahead of it. */
  readonly key: string;
  readonly position: number;
  readonly ahead: readonly StoredWaiter[];
  readonly isFree: boolean;
}

/** A backend that uses the store. */
export interface MemoryClient {
  readonly id: string;
  readonly view: ProcessView;
  wake(resource: string, why?: Wake): void;
  suspect(resource: string): void;
}

/**
 * The state of a lock server, in this process. Backends that share a store behave like processes
 * that share a server. Grants end by the clock. The head of the queue goes first, and a release
 * wakes it alone.
 */
export class MemoryStore {
  /** @internal */
  readonly counts: MemoryCountStore;
  /** @internal */
  readonly records: MemoryRecordStore;
  readonly #clock: Clock;
  readonly #resources = new Map<string, StoredResource>();
  readonly #clients = new Map<string, MemoryClient>();
  #lastToken = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = suspendAware(clock);
    this.records = new MemoryRecordStore(this.#clock);
    this.counts = new MemoryCountStore(this.#clock, (resource) => this.inspect(resource).length > 0);
  }

  /** How many resources are held or waited for. */
  get size(): number {
    for (const resource of [...this.#resources.keys()]) this.#dropIfEmpty(resource);
    return this.#resources.size;
  }

  /** @internal */
  join(client: MemoryClient): void {
    this.#clients.set(client.id, client);
  }

  /** @internal */
  leave(client: MemoryClient): void {
    this.#clients.delete(client.id);
  }

  /** @internal */
  claim(claim: Claim, client: MemoryClient): Verdict {
    const now = this.#clock.now();
    if (now > claim.notAfter) return { kind: 'stale' };
    const context = this.#contextOf(claim, client);
    if (context.isFree) return { kind: 'granted', token: this.#grant(claim, context, client) };
    const { stored, key, position } = context;
    // The waiter keeps its position even if it asks for another shape now.
    const waiter = { key, processId: client.id, shape: claim.shape, seenAt: now };
    if (claim.queue) stored.queue[position < 0 ? stored.queue.length : position] = waiter;
    return this.#refusal(context, now);
  }

  /** @internal */
  claimAll(claims: readonly Claim[], client: MemoryClient): JointVerdict {
    const now = this.#clock.now();
    if (claims.some(({ notAfter }) => now > notAfter)) return { kind: 'stale' };
    const contexts = claims.map((claim) => this.#contextOf(claim, client));
    const busy = contexts.findIndex(({ isFree }) => !isFree);
    if (busy < 0) {
      const tokens = claims.map((claim, i) => this.#grant(claim, contexts[i]!, client));
      return { kind: 'granted', tokens };
    }
    const { holder } = this.#refusal(contexts[busy]!, now);
    for (const { resource } of claims) this.#dropIfEmpty(resource);
    return { kind: 'refused', resource: claims[busy]!.resource, ...(holder && { holder }) };
  }

  /** @internal */
  renew(held: HeldRef): RenewOutcome {
    const grant = this.#current(held.resource).grants.get(held.id);
    if (grant === undefined) {
      this.#dropIfEmpty(held.resource);
      return 'lost';
    }
    if (held.shape.units < grant.shape.units) {
      grant.shape = held.shape;
      this.#wakeNext(held.resource, this.#current(held.resource));
    }
    if (grant.isRevoked) return 'revoked';
    grant.until = Math.max(grant.until, this.#clock.now() + Math.max(held.leaseMs, held.keepMs));
    return 'renewed';
  }

  /** @internal */
  withdraw(ref: ClaimRef, options: WithdrawOptions, client: MemoryClient): WithdrawOutcome {
    const stored = this.#current(ref.resource);
    const head = stored.queue[0];
    if (options.leaveQueue)
      stored.queue = stored.queue.filter(({ key }) => key !== client.id && key !== ref.id);
    const grant = stored.grants.get(ref.id);
    if (grant !== undefined && options.keepMs > 0)
      grant.until = Math.min(grant.until, this.#clock.now() + options.keepMs);
    if (grant !== undefined && options.keepMs === 0) stored.grants.delete(ref.id);
    const isFreed = grant !== undefined && options.keepMs === 0;
    if (isFreed && stored.queue.length === 0) this.#wakeAll(ref.resource);
    else if (isFreed || stored.queue[0] !== head) this.#wakeNext(ref.resource, stored);
    this.#dropIfEmpty(ref.resource);
    return grant === undefined ? 'absent' : 'released';
  }

  /** @internal */
  annotate(ref: ClaimRef, depth: number): void {
    const grant = this.#resources.get(ref.resource)?.grants.get(ref.id);
    if (grant !== undefined) grant.depth = depth;
  }

  /** @internal */
  inspect(resource: string): ClaimView[] {
    const now = this.#clock.now();
    const views = [...this.#current(resource).grants.values()].map(
      ({ until, isRevoked, shape, ...grant }) => ({
        ...grant,
        mode: shape.mode,
        units: shape.units,
        resource,
        remainingMs: until - now,
        revoked: isRevoked,
      }),
    );
    this.#dropIfEmpty(resource);
    return views;
  }

  /** @internal How many wait for each resource that is held or waited for. */
  get queueLengths(): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#resources, ([resource, { queue }]) => [resource, queue.length]));
  }

  /** @internal */
  processes(): ProcessEntry[] {
    return Array.from(this.#clients.values(), ({ id, view }) => ({ id, ...view }));
  }

  /** @internal */
  revoke(resource: string, how: 'atExpiry' | 'now', holder?: string): boolean {
    const stored = this.#current(resource);
    const revoked = [...stored.grants.values()].filter(({ id }) => holder === undefined || id === holder);
    const isHeld = revoked.length > 0;
    for (const grant of revoked) grant.isRevoked = true;
    if (how === 'now' && isHeld) {
      for (const { id } of revoked) stored.grants.delete(id);
      if (stored.queue.length === 0) this.#wakeAll(resource);
      else this.#wakeNext(resource, stored);
    }
    if (isHeld) for (const client of this.#clients.values()) client.suspect(resource);
    this.#dropIfEmpty(resource);
    return isHeld;
  }

  /** Collects what decides a claim. */
  #contextOf({ id, resource, shape }: Claim, client: MemoryClient): ClaimContext {
    const stored = this.#current(resource);
    // A repeat after a lost reply is granted again; a revoked grant gets no new life by it.
    const known = stored.grants.get(id);
    const own = known?.isRevoked === true ? undefined : known;
    const key = shape.order === 'fifo' ? id : client.id;
    const position = stored.queue.findIndex((waiter) => waiter.key === key);
    const ahead = position < 0 ? stored.queue : stored.queue.slice(0, position);
    const isFree =
      own !== undefined ||
      (known === undefined && isAdmitted(shape, shapesOf(stored.grants.values()), shapesOf(ahead)));
    return { stored, own, key, position, ahead, isFree };
  }

  /** Grants a free resource; returns the first of its tokens. */
  #grant(claim: Claim, { stored, own, position }: ClaimContext, client: MemoryClient): number {
    const { id, shape, resource } = claim;
    const until = this.#clock.now() + Math.max(claim.leaseMs, claim.holdAtLeastMs);
    if (own !== undefined) own.until = Math.max(own.until, until);
    else {
      if (position >= 0) stored.queue.splice(position, 1);
      stored.grants.set(id, { id, shape, until, depth: 1, isRevoked: false, process: client.view });
      this.#wakeNext(resource, stored);
    }
    return this.#takeTokens(claim.tokens);
  }

  /** The resource without expired grants and without queued processes that are dead. */
  #current(resource: string): StoredResource {
    let stored = this.#resources.get(resource);
    if (stored === undefined) {
      stored = { grants: new Map(), queue: [] };
      this.#resources.set(resource, stored);
      return stored;
    }
    const now = this.#clock.now();
    for (const [id, grant] of stored.grants) if (grant.until <= now) stored.grants.delete(id);
    if (stored.queue.length > 0)
      stored.queue = stored.queue.filter(({ seenAt }) => now - seenAt <= headLifeMs);
    return stored;
  }

  #dropIfEmpty(resource: string): void {
    const { grants, queue } = this.#current(resource);
    if (grants.size === 0 && queue.length === 0) this.#resources.delete(resource);
  }

  /** Wakes the head of the queue if there is room for it. */
  #wakeNext(resource: string, { queue, grants }: StoredResource): void {
    const [head] = queue;
    if (head === undefined || !isAdmitted(head.shape, shapesOf(grants.values()), [])) return;
    const why = head.shape.order === 'fifo' ? { claimId: head.key } : undefined;
    this.#clients.get(head.processId)?.wake(resource, why);
  }

  #wakeAll(resource: string): void {
    for (const client of this.#clients.values()) client.wake(resource);
  }

  #refusal({ stored, ahead }: ClaimContext, now: number): Verdict & { readonly kind: 'refused' } {
    const [holder] = stored.grants.values();
    if (holder === undefined) {
      const [head] = ahead;
      return {
        kind: 'refused',
        retryInMs: head === undefined ? headLifeMs : head.seenAt + headLifeMs + 1 - now,
      };
    }
    const earliest = Math.min(...Array.from(stored.grants.values(), ({ until }) => until));
    const { id, process, until } = holder;
    return { kind: 'refused', retryInMs: earliest - now, holder: { id, process, remainingMs: until - now } };
  }

  #takeTokens(count: number): number {
    if (count === 0) return 0;
    const first = Math.max(this.#lastToken, Math.floor(this.#clock.wall()) * TOKENS_PER_MS) + 1;
    this.#lastToken = first + count - 1;
    return first;
  }
}

function* shapesOf(items: Iterable<{ readonly shape: Shape }>): Generator<Shape> {
  for (const { shape } of items) yield shape;
}
