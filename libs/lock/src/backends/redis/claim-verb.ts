import type { Claim, HolderView, Verdict } from '../../core/claim.js';
import type { Arg } from './connection.js';
import { GUARD_KEY, processOf, TOKEN_KEY, type ResourceKeys } from './keys.js';
import type { ProcessRows } from './process-rows.js';
import { CLAIM } from './script.js';
import type { BatchItem, BatchVerb } from './script-batch.js';
import type { ServerTime } from './server-time.js';

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

/** `claim` on the wire. */
export class ClaimVerb implements BatchVerb<ClaimItem> {
  readonly script = CLAIM;
  readonly itemsPerCall = 32;
  readonly answersFrom = 1;

  constructor(
    private readonly processId: string,
    private readonly guard: Guard,
    private readonly time: ServerTime,
    private readonly rows: ProcessRows,
    /** Tokens of a lock come from a counter of its own, Redisson's. */
    private readonly ownTokens: boolean,
  ) {}

  encode(items: readonly ClaimItem[]): Arg[] {
    const { runId, maxLeaseMs } = this.guard;
    const keysPerItem = this.ownTokens ? 4 : 3;
    const args: Arg[] = [CLAIM.sha1, items.length * keysPerItem + (runId === '' ? 1 : 2), TOKEN_KEY];
    for (const { keys } of items) {
      args.push(keys.lock, keys.line, keys.signs);
      if (this.ownTokens) args.push(keys.token);
    }
    if (runId !== '') args.push(GUARD_KEY);
    args.push(this.processId, runId, maxLeaseMs, 0);
    for (const { claim } of items) {
      const { id, leaseMs, holdAtLeastMs, notAfter, tokens, queue } = claim;
      args.push(
        id,
        Math.ceil(Math.max(leaseMs, holdAtLeastMs)),
        this.time.notLaterThan(notAfter),
        tokens,
        queue ? 1 : 0,
      );
    }
    return args;
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
    const [retry, id] = answer as [number, string?];
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
