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
import { systemClock, type Clock } from '../../core/clock.js';
import { QUEUE_TIMING } from '../../core/queue-timing.js';
import { suspendAware } from '../../core/suspend-aware-clock.js';
import { MemoryCounts } from './memory-counts.js';
import { MemoryRows } from './memory-records.js';

const { headLifeMs } = QUEUE_TIMING;
/** Tokens exceed the time in us, as on Redis. */
const TOKENS_PER_MS = 1_000;

interface Grant {
  readonly id: string;
  shape: Shape;
  readonly process: ProcessView;
  until: number;
  depth: number;
  isRevoked: boolean;
}

interface Waiter {
  /** The process for claims in any order, the claim for fifo. */
  readonly key: string;
  readonly processId: string;
  readonly shape: Shape;
  readonly seenAt: number;
}

interface Place {
  readonly grants: Map<string, Grant>;
  line: Waiter[];
}

/** What a claim finds. */
interface Chance {
  readonly place: Place;
  /** The grant that it has already. */
  readonly own: Grant | undefined;
  /** What it stands in line as, and where, -1 for nowhere; those before it. */
  readonly key: string;
  readonly position: number;
  readonly ahead: readonly Waiter[];
  readonly isFree: boolean;
}

/** Who asks. */
export interface MemoryPeer {
  readonly id: string;
  readonly view: ProcessView;
  wake(resource: string, why?: Wake): void;
  doubt(resource: string): void;
}

/**
 * What a lock server keeps, in this process. Backends that share a store behave like processes that share a server:
 * grants end by the clock, the first in line goes first, and a release wakes it alone.
 */
export class MemoryStore {
  /** Latches and semaphores. */
  readonly counts: MemoryCounts;
  /** Of idempotency. */
  readonly records: MemoryRows;
  readonly #clock: Clock;
  readonly #places = new Map<string, Place>();
  readonly #peers = new Map<string, MemoryPeer>();
  #lastToken = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = suspendAware(clock);
    this.records = new MemoryRows(this.#clock);
    this.counts = new MemoryCounts(this.#clock, (resource) => this.inspect(resource).length > 0);
  }

  /** Resources that are held or waited for. */
  get size(): number {
    for (const resource of [...this.#places.keys()]) this.#tidy(resource);
    return this.#places.size;
  }

  join(peer: MemoryPeer): void {
    this.#peers.set(peer.id, peer);
  }

  leave(peer: MemoryPeer): void {
    this.#peers.delete(peer.id);
  }

  claim(claim: Claim, peer: MemoryPeer): Verdict {
    const now = this.#clock.now();
    if (now > claim.notAfter) return { kind: 'stale' };
    const chance = this.#chance(claim, peer);
    if (chance.isFree) return { kind: 'granted', token: this.#grant(claim, chance, peer) };
    const { place, key, position } = chance;
    // It may ask for something else than before, in the same place.
    const waiter = { key, processId: peer.id, shape: claim.shape, seenAt: now };
    if (claim.queue) place.line[position < 0 ? place.line.length : position] = waiter;
    return this.#refusal(chance, now);
  }

  claimAll(claims: readonly Claim[], peer: MemoryPeer): JointVerdict {
    const now = this.#clock.now();
    if (claims.some(({ notAfter }) => now > notAfter)) return { kind: 'stale' };
    const chances = claims.map((claim) => this.#chance(claim, peer));
    const busy = chances.findIndex(({ isFree }) => !isFree);
    if (busy < 0) {
      const tokens = claims.map((claim, i) => this.#grant(claim, chances[i]!, peer));
      return { kind: 'granted', tokens };
    }
    const { holder } = this.#refusal(chances[busy]!, now);
    for (const { resource } of claims) this.#tidy(resource);
    return { kind: 'refused', resource: claims[busy]!.resource, ...(holder && { holder }) };
  }

  renew(held: HeldRef): RenewOutcome {
    const grant = this.#place(held.resource).grants.get(held.id);
    if (grant === undefined) {
      this.#tidy(held.resource);
      return 'lost';
    }
    if (held.shape.units < grant.shape.units) {
      grant.shape = held.shape;
      this.#wakeNext(held.resource, this.#place(held.resource));
    }
    if (grant.isRevoked) return 'revoked';
    grant.until = Math.max(grant.until, this.#clock.now() + Math.max(held.leaseMs, held.keepMs));
    return 'renewed';
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions, peer: MemoryPeer): WithdrawOutcome {
    const place = this.#place(ref.resource);
    const head = place.line[0];
    if (options.leaveQueue) place.line = place.line.filter(({ key }) => key !== peer.id && key !== ref.id);
    const grant = place.grants.get(ref.id);
    if (grant !== undefined && options.keepMs > 0)
      grant.until = Math.min(grant.until, this.#clock.now() + options.keepMs);
    if (grant !== undefined && options.keepMs === 0) place.grants.delete(ref.id);
    const isFreed = grant !== undefined && options.keepMs === 0;
    if (isFreed && place.line.length === 0) this.#wakeAll(ref.resource);
    else if (isFreed || place.line[0] !== head) this.#wakeNext(ref.resource, place);
    this.#tidy(ref.resource);
    return grant === undefined ? 'absent' : 'released';
  }

  annotate(ref: ClaimRef, depth: number): void {
    const grant = this.#places.get(ref.resource)?.grants.get(ref.id);
    if (grant !== undefined) grant.depth = depth;
  }

  inspect(resource: string): ClaimView[] {
    const now = this.#clock.now();
    const views = [...this.#place(resource).grants.values()].map(({ until, isRevoked, shape, ...grant }) => ({
      ...grant,
      mode: shape.mode,
      units: shape.units,
      resource,
      remainingMs: until - now,
      revoked: isRevoked,
    }));
    this.#tidy(resource);
    return views;
  }

  revoke(resource: string, how: 'atExpiry' | 'now'): boolean {
    const place = this.#place(resource);
    const isHeld = place.grants.size > 0;
    for (const grant of place.grants.values()) grant.isRevoked = true;
    if (how === 'now' && isHeld) {
      place.grants.clear();
      if (place.line.length === 0) this.#wakeAll(resource);
      else this.#wakeNext(resource, place);
    }
    if (isHeld) for (const peer of this.#peers.values()) peer.doubt(resource);
    this.#tidy(resource);
    return isHeld;
  }

  /** What stands between a claim and its grant. */
  #chance({ id, resource, shape }: Claim, peer: MemoryPeer): Chance {
    const place = this.#place(resource);
    // A repeat after a lost reply is granted again; a revoked grant gets no new life by it.
    const known = place.grants.get(id);
    const own = known?.isRevoked === true ? undefined : known;
    const key = shape.order === 'fifo' ? id : peer.id;
    const position = place.line.findIndex((waiter) => waiter.key === key);
    const ahead = position < 0 ? place.line : place.line.slice(0, position);
    const isFree =
      own !== undefined ||
      (known === undefined && isAdmitted(shape, shapesOf(place.grants.values()), shapesOf(ahead)));
    return { place, own, key, position, ahead, isFree };
  }

  /** Grants what is free; gives the first of its tokens. */
  #grant(claim: Claim, { place, own, position }: Chance, peer: MemoryPeer): number {
    const { id, shape, resource } = claim;
    const until = this.#clock.now() + Math.max(claim.leaseMs, claim.holdAtLeastMs);
    if (own !== undefined) own.until = Math.max(own.until, until);
    else {
      if (position >= 0) place.line.splice(position, 1);
      place.grants.set(id, { id, shape, until, depth: 1, isRevoked: false, process: peer.view });
      this.#wakeNext(resource, place);
    }
    return this.#takeTokens(claim.tokens);
  }

  /** The place as it is now: what has ended, and who is dead in line, is gone. */
  #place(resource: string): Place {
    let place = this.#places.get(resource);
    if (place === undefined) {
      place = { grants: new Map(), line: [] };
      this.#places.set(resource, place);
      return place;
    }
    const now = this.#clock.now();
    for (const [id, grant] of place.grants) if (grant.until <= now) place.grants.delete(id);
    if (place.line.length > 0) place.line = place.line.filter(({ seenAt }) => now - seenAt <= headLifeMs);
    return place;
  }

  #tidy(resource: string): void {
    const { grants, line } = this.#place(resource);
    if (grants.size === 0 && line.length === 0) this.#places.delete(resource);
  }

  /** Tells the head of the line if there is room for it. */
  #wakeNext(resource: string, { line, grants }: Place): void {
    const [head] = line;
    if (head === undefined || !isAdmitted(head.shape, shapesOf(grants.values()), [])) return;
    const why = head.shape.order === 'fifo' ? { claimId: head.key } : undefined;
    this.#peers.get(head.processId)?.wake(resource, why);
  }

  #wakeAll(resource: string): void {
    for (const peer of this.#peers.values()) peer.wake(resource);
  }

  #refusal({ place, ahead }: Chance, now: number): Verdict & { readonly kind: 'refused' } {
    const [holder] = place.grants.values();
    if (holder === undefined) {
      const [head] = ahead;
      return {
        kind: 'refused',
        retryInMs: head === undefined ? headLifeMs : head.seenAt + headLifeMs + 1 - now,
      };
    }
    const earliest = Math.min(...Array.from(place.grants.values(), ({ until }) => until));
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

function* shapesOf(those: Iterable<{ readonly shape: Shape }>): Generator<Shape> {
  for (const { shape } of those) yield shape;
}
