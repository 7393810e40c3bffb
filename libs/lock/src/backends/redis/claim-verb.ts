import type { Claim, HolderView, Verdict } from '../../core/claim.js';
import { GUARD_KEY, processOf, TOKEN_KEY, type ResourceKeys } from './keys.js';
import type { ProcessRows } from './process-rows.js';
import { CLAIM } from './script.js';
import type { BatchItem, BatchVerb } from './script-batch.js';
import type { ServerTime } from './server-time.js';
import { name, NO, word, YES, type ScriptInput } from './wire.js';

export interface ClaimItem extends BatchItem<Verdict> {
  readonly claim: Claim;
  readonly keys: ResourceKeys;
}

/** What the script checks against the guard key. */
export interface Guard {
  /** Run of the server that this connection leads to; '' when no guard is asked for. */
  readonly runId: string;
  readonly maxLeaseMs: number;
}

/** A lock without an expiry (a foreign client's) is asked for again after this long, in ms. */
const NO_EXPIRY_RETRY_MS = 1_000;
const STALE = -1;
const TOKEN_WIRE = name(TOKEN_KEY);
const GUARD_WIRE = name(GUARD_KEY);

/** `claim` on the wire. */
export class ClaimVerb implements BatchVerb<ClaimItem> {
  readonly script = CLAIM;
  readonly itemsPerCall = 32;
  readonly answersFrom = 1;

  constructor(
    private readonly guard: Guard,
    private readonly time: ServerTime,
    private readonly rows: ProcessRows,
    /** Tokens of a lock come from a counter of its own, Redisson's. */
    private readonly ownTokens: boolean,
  ) {}

  encode(items: readonly ClaimItem[]): ScriptInput {
    const { runId, maxLeaseMs } = this.guard;
    const isGuarded = runId !== '';
    const keys = items.length * (this.ownTokens ? 4 : 3) + (isGuarded ? 2 : 1);
    let text = word(keys) + TOKEN_WIRE;
    for (const { keys: own } of items) text += this.ownTokens ? own.wire + name(own.token) : own.wire;
    if (isGuarded) text += GUARD_WIRE;
    for (const { claim } of items) {
      const { id, leaseMs, holdAtLeastMs, notAfter, tokens, queue } = claim;
      const lease = Math.ceil(Math.max(leaseMs, holdAtLeastMs));
      text += `${word(id)}${word(lease)}${word(this.time.notLaterThan(notAfter))}${word(tokens)}${queue ? YES : NO}`;
    }
    if (isGuarded) text += word(runId) + word(maxLeaseMs) + NO;
    return { text, count: 1 + keys + items.length * 5 + (isGuarded ? 3 : 0) };
  }

  learn(reply: readonly unknown[]): void {
    const [now] = reply;
    if (typeof now === 'number') this.time.learn(now);
  }

  settle(item: ClaimItem, answer: unknown): void {
    if (typeof answer === 'number') {
      item.resolve(answer === STALE ? { kind: 'stale' } : { kind: 'granted', token: answer });
      return;
    }
    const [retry, holder] = answer as [number, Buffer?];
    const id = holder?.toString();
    const retryInMs = retry < 0 ? NO_EXPIRY_RETRY_MS : retry;
    item.resolve(
      id === undefined
        ? { kind: 'refused', retryInMs }
        : { kind: 'refused', retryInMs, holder: this.#holder(id, retry < 0 ? Infinity : retry) },
    );
  }

  #holder(id: string, remainingMs: number): HolderView {
    const process = this.rows.known(processOf(id));
    return process === undefined ? { id, remainingMs } : { id, remainingMs, process };
  }
}
