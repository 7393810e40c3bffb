import type { Claim, HolderView, Verdict } from '../../../core/claim.js';
import type { ClockOffset } from '../../kit/clock-offset.js';
import type { ProcessDirectory } from '../../kit/process-directory.js';
import type { AwaitedGrants } from '../presence/awaited-grants.js';
import { GUARD_KEY, processOf, type LockKeys, type TokenSource } from '../protocol/keys.js';
import type { Script } from '../protocol/script.js';
import { BatchCommand, type BatchItem } from '../protocol/batch-command.js';
import type { ReplicaAcks } from '../protocol/replica-acks.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import { encodeText, NO, encodeAscii, YES, type ScriptInput } from '../protocol/resp-encoding.js';

export interface ClaimItem extends BatchItem<Verdict> {
  readonly claim: Claim;
  readonly keys: LockKeys;
}

/** The parts of a claim that go on the wire. */
export type ClaimWithKeys = Pick<ClaimItem, 'resource' | 'claim' | 'keys'>;

/** The scripts of a lock whose grant is a hash with an expiry, as Redisson writes it. */
export interface LockScripts {
  readonly claim: Script;
  /** Omitted if the kind cannot decide several claims in one step. */
  readonly claimAll?: Script;
  readonly withdraw: Script;
  /** Keys of an item, without its own token counter. */
  readonly keysOfItem: number;
  /** The field of the hash that represents a claim. @default its id */
  readonly fieldOf?: (claim: Claim) => string;
  /** The requested amount, if it is not a number of fencing tokens. */
  readonly amountOf?: (claim: Claim) => string;
}

/** What the script compares with the guard key. */
export interface RestartGuard {
  /** Run id of the connected server; '' without a guard. */
  readonly runId: string;
  readonly maxLeaseMs: number;
  /** The server may push a grant for a claim that it refused. */
  readonly mayPush: boolean;
}

/** Retry pause for a lock without an expiry (a foreign client's), in ms. */
const NO_EXPIRY_RETRY_MS = 1_000;
const STALE = -1;
/** Reported instead of a time by a server that had no need to read its clock. */
const CLOCK_NOT_READ = 0;
const ENCODED_GUARD_KEY = encodeText(GUARD_KEY);
/** Joins the queue, and accepts a pushed grant. */
const QUEUE_AND_PUSH = encodeAscii(2);

export interface ClaimCommandDeps {
  readonly connection: RedisConnection;
  readonly guard: RestartGuard;
  readonly clockOffset: ClockOffset;
  readonly processes: ProcessDirectory;
  readonly tokens: TokenSource;
  readonly awaitedGrants: AwaitedGrants;
  /** A grant counts only once these replicas have acknowledged it. */
  readonly acks: ReplicaAcks | undefined;
}

/** `claim` on the wire. */
export class ClaimCommand extends BatchCommand<ClaimItem> {
  readonly script: Script;
  readonly itemsPerCall = 16;
  override readonly firstAnswerIndex = 1;

  /** Server time of the reply that is being settled, ms. */
  #repliedAt = CLOCK_NOT_READ;
  /** The guard arguments as encoded last. */
  #guardArgs = { runId: '', encoded: '' };
  readonly #keysOfItem: number;
  readonly #amountOf: LockScripts['amountOf'];
  readonly #fieldOf: LockScripts['fieldOf'];

  constructor(
    { claim, keysOfItem, amountOf, fieldOf }: LockScripts,
    private readonly deps: ClaimCommandDeps,
  ) {
    super(deps.connection, deps.acks);
    this.script = claim;
    this.#amountOf = amountOf;
    this.#fieldOf = fieldOf;
    this.#keysOfItem = keysOfItem + (deps.tokens.isPerLock ? 1 : 0);
  }

  encode(items: readonly ClaimWithKeys[], sentAt: number): ScriptInput {
    const { runId, maxLeaseMs } = this.deps.guard;
    const isGuarded = runId !== '';
    const keys = items.length * this.#keysOfItem + (isGuarded ? 2 : 1);
    let text = encodeAscii(keys) + this.deps.tokens.sharedCounter(items[0]!.resource);
    for (const { keys: own } of items)
      text += this.deps.tokens.isPerLock ? own.encoded + encodeText(own.token) : own.encoded;
    if (isGuarded) text += ENCODED_GUARD_KEY;
    for (const { claim } of items) {
      const { id, leaseMs, holdAtLeastMs, notAfter, queue, mayPush } = claim;
      const lease = Math.ceil(Math.max(leaseMs, holdAtLeastMs));
      const wanted = this.#amountOf === undefined ? claim.tokens : this.#amountOf(claim);
      const field = this.#fieldOf === undefined ? id : this.#fieldOf(claim);
      text += `${encodeAscii(field)}${encodeAscii(lease)}${encodeAscii(this.deps.clockOffset.earliestServerTime(notAfter))}${encodeAscii(wanted)}`;
      text += queue ? (mayPush && this.deps.guard.mayPush ? QUEUE_AND_PUSH : YES) : NO;
    }
    if (isGuarded) text += this.#encodeGuard(runId, maxLeaseMs);
    text += this.deps.clockOffset.isSampleDueAt(sentAt) ? YES : NO;
    return { text, count: 1 + keys + items.length * 5 + (isGuarded ? 4 : 1) };
  }

  /** The guard arguments. Cached, since they stay the same while a connection lasts. */
  #encodeGuard(runId: string, maxLeaseMs: number): string {
    if (this.#guardArgs.runId !== runId)
      this.#guardArgs = { runId, encoded: [encodeAscii(runId), encodeAscii(maxLeaseMs), NO].join('') };
    return this.#guardArgs.encoded;
  }

  override onReply(reply: readonly unknown[], sentAt: number): void {
    const [now] = reply;
    this.#repliedAt = typeof now === 'number' ? now : CLOCK_NOT_READ;
    if (this.#repliedAt !== CLOCK_NOT_READ) this.deps.clockOffset.addSample(this.#repliedAt, sentAt);
  }

  protected override isGrant(answer: unknown): boolean {
    return typeof answer === 'number' && answer !== STALE;
  }

  protected settle(item: ClaimItem, answer: unknown): void {
    if (typeof answer === 'number') {
      if (answer !== STALE) this.deps.awaitedGrants.onGranted(item.claim, answer);
      item.resolve(answer === STALE ? { kind: 'stale' } : { kind: 'granted', token: answer });
      return;
    }
    const { queue, mayPush } = item.claim;
    if (queue && mayPush) this.deps.awaitedGrants.onRefused(item.claim, this.#repliedAt);
    const [retry, holder] = answer as [number, Buffer?];
    const id = holder?.toString();
    const retryInMs = retry < 0 ? NO_EXPIRY_RETRY_MS : retry;
    item.resolve(
      id === undefined
        ? { kind: 'refused', retryInMs }
        : { kind: 'refused', retryInMs, holder: this.holderView(id, retry) },
    );
  }

  /** @param ttl remaining time of its grant, in ms; -1 if it has no end */
  holderView(id: string, ttl: number): HolderView {
    const remainingMs = ttl < 0 ? Infinity : ttl;
    const process = this.deps.processes.cached(processOf(id));
    return process === undefined ? { id, remainingMs } : { id, remainingMs, process };
  }
}
