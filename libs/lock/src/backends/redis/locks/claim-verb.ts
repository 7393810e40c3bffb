import type { Claim, HolderView, Verdict } from '../../../core/claim.js';
import type { AwaitedGrants } from '../presence/awaited-grants.js';
import { GUARD_KEY, processOf, type LockKeys, type TokenSource } from '../protocol/keys.js';
import type { ProcessRows } from '../presence/process-rows.js';
import type { Script } from '../protocol/script.js';
import type { BatchItem, BatchVerb } from '../protocol/script-batch.js';
import type { ServerTime } from '../connection/server-time.js';
import { name, NO, word, YES, type ScriptInput } from '../protocol/wire.js';

export interface ClaimItem extends BatchItem<Verdict> {
  readonly claim: Claim;
  readonly keys: LockKeys;
}

/** What a claim consists of on the wire. */
export type WiredClaim = Pick<ClaimItem, 'resource' | 'claim' | 'keys'>;

/** The scripts of a lock whose grant is a hash with an expiry, as Redisson writes it. */
export interface HashScripts {
  readonly claim: Script;
  /** Left out where several are not decided in one step. */
  readonly claimAll?: Script;
  readonly withdraw: Script;
  /** Keys of an item, its own token counter not included. */
  readonly keysOfItem: number;
  /** What stands for a claim in the hash. @default its id */
  readonly fieldOf?: (claim: Claim) => string;
  /** What is asked for, where that is no number of fencing tokens. */
  readonly wants?: (claim: Claim) => string;
}

/** What the script checks against the guard key. */
export interface Guard {
  /** Run of the server that this connection leads to; '' when no guard is asked for. */
  readonly runId: string;
  readonly maxLeaseMs: number;
  /** The server may grant by itself what was refused. */
  readonly mayPush: boolean;
}

/** A lock without an expiry (a foreign client's) is asked for again after this long, in ms. */
const NO_EXPIRY_RETRY_MS = 1_000;
const STALE = -1;
/** Stands for the time of a server that had no need to read its clock. */
const UNTOLD = 0;
const GUARD_WIRE = name(GUARD_KEY);
/** Stands in line, and takes a grant without asking again. */
const PUSH = word(2);

export interface ClaimVerbDeps {
  readonly guard: Guard;
  readonly time: ServerTime;
  readonly rows: ProcessRows;
  readonly tokens: TokenSource;
  readonly awaited: AwaitedGrants;
}

/** `claim` on the wire. */
export class ClaimVerb implements BatchVerb<ClaimItem> {
  readonly script: Script;
  readonly itemsPerCall = 16;
  readonly answersFrom = 1;

  /** Server time of the reply that is settled just now, ms. */
  #repliedAt = UNTOLD;
  /** The guard as it was put last. */
  #told = { runId: '', wire: '' };
  readonly #keysOfItem: number;
  readonly #wants: HashScripts['wants'];
  readonly #fieldOf: HashScripts['fieldOf'];

  constructor(
    { claim, keysOfItem, wants, fieldOf }: HashScripts,
    private readonly deps: ClaimVerbDeps,
  ) {
    this.script = claim;
    this.#wants = wants;
    this.#fieldOf = fieldOf;
    this.#keysOfItem = keysOfItem + (deps.tokens.isOwn ? 1 : 0);
  }

  encode(items: readonly WiredClaim[], sentAt: number): ScriptInput {
    const { runId, maxLeaseMs } = this.deps.guard;
    const isGuarded = runId !== '';
    const keys = items.length * this.#keysOfItem + (isGuarded ? 2 : 1);
    let text = word(keys) + this.deps.tokens.shared(items[0]!.resource);
    for (const { keys: own } of items) text += this.deps.tokens.isOwn ? own.wire + name(own.token) : own.wire;
    if (isGuarded) text += GUARD_WIRE;
    for (const { claim } of items) {
      const { id, leaseMs, holdAtLeastMs, notAfter, queue, mayPush } = claim;
      const lease = Math.ceil(Math.max(leaseMs, holdAtLeastMs));
      const wanted = this.#wants === undefined ? claim.tokens : this.#wants(claim);
      const field = this.#fieldOf === undefined ? id : this.#fieldOf(claim);
      text += `${word(field)}${word(lease)}${word(this.deps.time.notLaterThan(notAfter))}${word(wanted)}`;
      text += queue ? (mayPush && this.deps.guard.mayPush ? PUSH : YES) : NO;
    }
    if (isGuarded) text += this.#guardWire(runId, maxLeaseMs);
    text += this.deps.time.isDueAt(sentAt) ? YES : NO;
    return { text, count: 1 + keys + items.length * 5 + (isGuarded ? 4 : 1) };
  }

  /** What the script is told about the guard. Kept, since it is the same for as long as a connection lasts. */
  #guardWire(runId: string, maxLeaseMs: number): string {
    if (this.#told.runId !== runId)
      this.#told = { runId, wire: [word(runId), word(maxLeaseMs), NO].join('') };
    return this.#told.wire;
  }

  learn(reply: readonly unknown[], sentAt: number): void {
    const [now] = reply;
    this.#repliedAt = typeof now === 'number' ? now : UNTOLD;
    if (this.#repliedAt !== UNTOLD) this.deps.time.learn(this.#repliedAt, sentAt);
  }

  isGrant(answer: unknown): boolean {
    return typeof answer === 'number' && answer !== STALE;
  }

  settle(item: ClaimItem, answer: unknown): void {
    if (typeof answer === 'number') {
      if (answer !== STALE) this.deps.awaited.granted(item.claim, answer);
      item.resolve(answer === STALE ? { kind: 'stale' } : { kind: 'granted', token: answer });
      return;
    }
    const { queue, mayPush } = item.claim;
    if (queue && mayPush) this.deps.awaited.refused(item.claim, this.#repliedAt);
    const [retry, holder] = answer as [number, Buffer?];
    const id = holder?.toString();
    const retryInMs = retry < 0 ? NO_EXPIRY_RETRY_MS : retry;
    item.resolve(
      id === undefined
        ? { kind: 'refused', retryInMs }
        : { kind: 'refused', retryInMs, holder: this.holderView(id, retry) },
    );
  }

  /** @param ttl of its grant, in ms; -1 when it has none */
  holderView(id: string, ttl: number): HolderView {
    const remainingMs = ttl < 0 ? Infinity : ttl;
    const process = this.deps.rows.known(processOf(id));
    return process === undefined ? { id, remainingMs } : { id, remainingMs, process };
  }
}
