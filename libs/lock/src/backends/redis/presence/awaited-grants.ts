import type { Claim, PushedGrant } from '../../../core/claim.js';
import { QUEUE_TIMING } from '../../../core/queue-timing.js';
import type { ClockOffset } from '../../kit/clock-offset.js';

/** Tokens are epoch µs, and no server gives out a million of them in a second: none is further ahead of its clock. */
const AHEAD_MS = 1_000;
const TOKENS_PER_MS = 1_000;
/** Resources whose last token is known, and claims that wait in a queue, at most. */
const MAX_RESOURCES = 10_000;
const MAX_CLAIMS = 10_000;

/** What a message says was granted. */
export interface GrantAnnouncement {
  readonly claimId: string;
  readonly resource: string;
  readonly token: number;
  readonly tokens: number;
  readonly leaseMs: number;
  /** Server time of the grant, ms. */
  readonly at: number;
}

interface AwaitedClaim {
  readonly claim: Claim;
  /** Server time at which it was refused last, ms; 0 where the server had no need to read its clock. */
  readonly refusedAt: number;
}

/**
 * The claims of this process that wait in a server's queue and may be granted without being asked for again. Whoever may publish
 * can announce a grant, so it is believed only for these, within a second, and with a token that can be the next.
 */
export class AwaitedGrants {
  readonly #claims = new Map<string, AwaitedClaim>();
  readonly #lastTokens = new Map<string, number>();

  constructor(private readonly clockOffset: ClockOffset) {}

  /** It is in the queue. @param at server time, ms */
  onRefused(claim: Claim, at: number): void {
    // The one that asked last is the last of the map.
    this.#claims.delete(claim.id);
    // On a cluster a claim may be given up at the server that has the slot by then, and stay here.
    if (this.#claims.size >= MAX_CLAIMS) this.#claims.delete(this.#claims.keys().next().value!);
    this.#claims.set(claim.id, { claim, refusedAt: at });
  }

  /** @param token the first of its tokens, 0 without */
  onGranted({ id, resource, tokens }: Claim, token: number): void {
    this.forget(id);
    if (this.#lastTokens.size > 0 && token > 0 && this.#lastTokens.has(resource))
      this.#lastTokens.set(resource, token + tokens - 1);
  }

  /** Nobody asks for it any more. */
  forget(claimId: string): void {
    // Most are granted at once, and nobody needs the hash of their id.
    if (this.#claims.size > 0) this.#claims.delete(claimId);
  }

  /** The grant, if it can be one. Else what is announced is worth a question. */
  accept(announcement: GrantAnnouncement): PushedGrant | undefined {
    const { claimId, resource, token, tokens, leaseMs } = announcement;
    const awaited = this.#claims.get(claimId);
    if (awaited === undefined || !this.#isPlausible(awaited, announcement)) return undefined;
    this.#claims.delete(claimId);
    if (token > 0) this.#remember(resource, token + tokens - 1);
    return { token, tokens, leaseMs, since: this.clockOffset.earliestLocalTime(announcement.at) };
  }

  #isPlausible(
    { claim, refusedAt }: AwaitedClaim,
    { resource, token, tokens, leaseMs, at }: GrantAnnouncement,
  ): boolean {
    // What was refused later had no grant by then.
    if (resource !== claim.resource || tokens !== claim.tokens || at < refusedAt) return false;
    if (!(leaseMs > 0 && leaseMs <= Math.min(QUEUE_TIMING.pushedLeaseMs, Math.ceil(claim.leaseMs))))
      return false;
    // Without knowing the server's clock the grant has to be asked for: the answer is the same grant.
    if (this.clockOffset.earliestLocalTime(at) === -Infinity) return false;
    if (tokens === 0) return token === 0;
    // A server's token exceeds its clock at the grant, less what the call reserves: `reserveTokens()` of the scripts.
    const last = Math.max(this.#lastTokens.get(resource) ?? 0, at * TOKENS_PER_MS - tokens);
    const nowMs = this.clockOffset.earliestServerTime(this.clockOffset.localNow());
    return token > last && token <= Math.max(last, (nowMs + AHEAD_MS) * TOKENS_PER_MS) + tokens;
  }

  #remember(resource: string, token: number): void {
    if (this.#lastTokens.size >= MAX_RESOURCES) this.#lastTokens.clear();
    this.#lastTokens.set(resource, token);
  }
}
