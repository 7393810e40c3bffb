import type { Claim, PushedGrant } from '../../../core/claim.js';
import { QUEUE_TIMING } from '../../../core/queue-timing.js';
import type { ClockOffset } from '../../kit/clock-offset.js';

/**
 * How far a token may be ahead of the server's clock. Tokens are epoch µs, and no server gives out
 * a million of them in a second.
 */
const AHEAD_MS = 1_000;
const TOKENS_PER_MS = 1_000;
/** Most resources with a remembered token, and most claims that wait in a queue. */
const MAX_RESOURCES = 10_000;
const MAX_CLAIMS = 10_000;

/** The content of a message about a grant. */
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
  /** Server time of the last refusal, ms; 0 where the server had no need to read its clock. */
  readonly refusedAt: number;
}

/**
 * The claims of this process that wait in a server's queue and may get a pushed grant. Any client
 * that may publish can announce a grant. So it is believed only for these claims, within a second,
 * and with a token that can be the next.
 */
export class AwaitedGrants {
  readonly #claims = new Map<string, AwaitedClaim>();
  readonly #lastTokens = new Map<string, number>();

  constructor(private readonly clockOffset: ClockOffset) {}

  /** The claim is in the queue. @param at server time, ms */
  onRefused(claim: Claim, at: number): void {
    // The latest claim must be the last of the map.
    this.#claims.delete(claim.id);
    // On a cluster, a claim may be withdrawn at the new server of its slot and stay in this map.
    if (this.#claims.size >= MAX_CLAIMS) this.#claims.delete(this.#claims.keys().next().value!);
    this.#claims.set(claim.id, { claim, refusedAt: at });
  }

  /** @param token the first of its tokens, 0 without */
  onGranted({ id, resource, tokens }: Claim, token: number): void {
    this.forget(id);
    if (this.#lastTokens.size > 0 && token > 0 && this.#lastTokens.has(resource))
      this.#lastTokens.set(resource, token + tokens - 1);
  }

  /** The claim is no longer requested. */
  forget(claimId: string): void {
    // Most claims are granted at once: the check saves hashing their ids.
    if (this.#claims.size > 0) this.#claims.delete(claimId);
  }

  /** The grant, if it is plausible. Otherwise the announcement is worth a request. */
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
    // A claim that was refused later had no grant by then.
    if (resource !== claim.resource || tokens !== claim.tokens || at < refusedAt) return false;
    if (!(leaseMs > 0 && leaseMs <= Math.min(QUEUE_TIMING.pushedLeaseMs, Math.ceil(claim.leaseMs))))
      return false;
    // If the server's clock is unknown, the grant must be requested: the answer is the same grant.
    if (this.clockOffset.earliestLocalTime(at) === -Infinity) return false;
    if (tokens === 0) return token === 0;
    // A server's token exceeds its clock at the grant, less the tokens that the call reserves: see
    // `reserveTokens()` of the scripts.
    const last = Math.max(this.#lastTokens.get(resource) ?? 0, at * TOKENS_PER_MS - tokens);
    const nowMs = this.clockOffset.earliestServerTime(this.clockOffset.localNow());
    return token > last && token <= Math.max(last, (nowMs + AHEAD_MS) * TOKENS_PER_MS) + tokens;
  }

  #remember(resource: string, token: number): void {
    if (this.#lastTokens.size >= MAX_RESOURCES) this.#lastTokens.clear();
    this.#lastTokens.set(resource, token);
  }
}
