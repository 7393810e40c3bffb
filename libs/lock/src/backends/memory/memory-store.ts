import { isAdmitted } from '../../core/admission.js';
import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  ProcessView,
  RenewOutcome,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../core/claim.js';
import { systemClock, type Clock } from '../../core/clock.js';

/** A process in line without a sign for this long is taken for dead, in ms. */
const HEAD_LIFE_MS = 1_000;
/** Tokens exceed the time in us, as on Redis. */
const TOKENS_PER_MS = 1_000;

interface Grant {
  readonly id: string;
  readonly units: number;
  readonly mode: Claim['mode'];
  readonly process: ProcessView;
  until: number;
  depth: number;
  isRevoked: boolean;
}

interface Waiter {
  /** The process for claims in any order, the claim for fifo. */
  readonly key: string;
  readonly processId: string;
  readonly units: number;
  seenAt: number;
}

interface Place {
  readonly grants: Map<string, Grant>;
  line: Waiter[];
}

/** Who asks. */
export interface MemoryPeer {
  readonly id: string;
  readonly view: ProcessView;
  wake(resource: string): void;
  doubt(resource: string): void;
}

/**
 * What a lock server keeps, in this process. Backends that share a store behave like processes that share a server:
 * grants end by the clock, the first in line goes first, and a release wakes it alone.
 */
export class MemoryStore {
  readonly #clock: Clock;
  readonly #places = new Map<string, Place>();
  readonly #peers = new Map<string, MemoryPeer>();
  #lastToken = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
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
    const place = this.#place(claim.resource);
    const { grants } = place;
    const until = now + Math.max(claim.leaseMs, claim.holdAtLeastMs);
    const own = grants.get(claim.id);
    // A repeat after a lost reply is granted again; a revoked grant gets no new life by it.
    if (own !== undefined && !own.isRevoked) {
      own.until = Math.max(own.until, until);
      return { kind: 'granted', token: this.#takeTokens(claim.tokens) };
    }
    const key = claim.order === 'fifo' ? claim.id : peer.id;
    const position = place.line.findIndex((waiter) => waiter.key === key);
    const ahead = position < 0 ? place.line : place.line.slice(0, position);
    if (isAdmitted(claim, grants.values(), ahead)) {
      if (position >= 0) place.line.splice(position, 1);
      const { id, units, mode } = claim;
      grants.set(id, { id, units, mode, until, depth: 1, isRevoked: false, process: peer.view });
      return { kind: 'granted', token: this.#takeTokens(claim.tokens) };
    }
    if (claim.queue && position >= 0) place.line[position]!.seenAt = now;
    if (claim.queue && position < 0)
      place.line.push({ key, processId: peer.id, units: claim.units, seenAt: now });
    return this.#refusal(place, ahead, now);
  }

  renew(held: HeldRef): RenewOutcome {
    const grant = this.#place(held.resource).grants.get(held.id);
    if (grant === undefined) {
      this.#tidy(held.resource);
      return 'lost';
    }
    if (grant.isRevoked) return 'revoked';
    grant.until = Math.max(grant.until, this.#clock.now() + Math.max(held.leaseMs, held.keepMs));
    return 'renewed';
  }

  withdraw(ref: ClaimRef, options: WithdrawOptions, peer: MemoryPeer): WithdrawOutcome {
    const place = this.#place(ref.resource);
    const isHead = place.line[0]?.processId === peer.id;
    if (options.leaveQueue) place.line = place.line.filter(({ key }) => key !== peer.id && key !== ref.id);
    const grant = place.grants.get(ref.id);
    if (grant !== undefined && options.keepMs > 0)
      grant.until = Math.min(grant.until, this.#clock.now() + options.keepMs);
    if (grant !== undefined && options.keepMs === 0) place.grants.delete(ref.id);
    const isFreed = grant !== undefined && options.keepMs === 0;
    if (isFreed || (options.leaveQueue && isHead && place.grants.size === 0)) this.#wake(ref.resource, place);
    this.#tidy(ref.resource);
    return grant === undefined ? 'absent' : 'released';
  }

  annotate(ref: ClaimRef, depth: number): void {
    const grant = this.#places.get(ref.resource)?.grants.get(ref.id);
    if (grant !== undefined) grant.depth = depth;
  }

  inspect(resource: string): ClaimView[] {
    const now = this.#clock.now();
    const views = [...this.#place(resource).grants.values()].map(({ until, isRevoked, ...grant }) => ({
      ...grant,
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
      this.#wake(resource, place);
    }
    if (isHeld) for (const peer of this.#peers.values()) peer.doubt(resource);
    this.#tidy(resource);
    return isHeld;
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
    if (place.line.length > 0) place.line = place.line.filter(({ seenAt }) => now - seenAt <= HEAD_LIFE_MS);
    return place;
  }

  #tidy(resource: string): void {
    const { grants, line } = this.#place(resource);
    if (grants.size === 0 && line.length === 0) this.#places.delete(resource);
  }

  #wake(resource: string, { line }: Place): void {
    const head = line[0];
    if (head !== undefined) this.#peers.get(head.processId)?.wake(resource);
    else for (const peer of this.#peers.values()) peer.wake(resource);
  }

  #refusal(place: Place, ahead: readonly Waiter[], now: number): Verdict {
    const [holder] = place.grants.values();
    if (holder === undefined) {
      const [head] = ahead;
      return {
        kind: 'refused',
        retryInMs: head === undefined ? HEAD_LIFE_MS : head.seenAt + HEAD_LIFE_MS + 1 - now,
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
