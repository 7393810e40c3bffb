import type { Claim, Shape, Verdict } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import { isUnavailable, mayHaveActed } from '../../core/unavailable.js';
import { entriesAhead, blockersOf, fits, refusalBy } from './queue-admission.js';
import type { QueuedClaim } from './queued-claim.js';
import type { QueuedClaims } from './queued-claims.js';
import type { QueueStore, OwnEntry, QueueEntry, EnqueueRequest, EntryStatus } from './queue-store.js';
import { tokenOf, TOKENS_PER_REVISION } from './tokens.js';

const STALE = { kind: 'stale' } as const;

/** What the leases on queues need. */
export interface QueueDeps {
  /** Name of the backend. */
  readonly name: string;
  readonly clock: Clock;
  readonly store: QueueStore;
  readonly operationTimeoutMs: number;
  readonly maxLeaseMs: number;
}

/** How a claim becomes an entry, and an entry a grant. The steps of one claim run one after the other. */
export class ClaimProtocol {
  constructor(
    private readonly deps: QueueDeps,
    private readonly claims: QueuedClaims,
    /** An entry that blocked this claim has left. */
    private readonly wake: (resource: string, claimId: string) => void,
    /** No other claim of this process will take over the entry of this one. */
    private readonly discard: (queued: QueuedClaim) => void,
  ) {}

  async claim(queued: QueuedClaim, claim: Claim): Promise<Verdict> {
    const now = this.deps.clock.now();
    if (this.#isLate(queued, claim)) return STALE;
    if (queued.phase === 'leaving') await this.remove(queued);
    await this.resolveUnconfirmed(queued);
    if (queued.entry?.session.isLost === true) queued.entryEnded();
    if (queued.entry !== undefined) await this.ensureCovered(queued, claim.leaseMs);
    if (queued.entry !== undefined && queued.phase === 'granted')
      return this.#repeatGrant(queued, claim, now);
    if (queued.entry === undefined) return this.#enqueue(queued, claim, now);
    const queue = await this.deps.store.read(claim.resource, queued.entry.session);
    return this.#decide(queued, claim, queue, undefined, now);
  }

  /** Looks for an entry that may have been made without an answer. */
  async resolveUnconfirmed(queued: QueuedClaim): Promise<void> {
    const session = queued.unconfirmedIn;
    if (session === undefined) return;
    if (!session.isLost) {
      const queue = await this.deps.store.read(queued.ref.resource, session);
      const found = queue.find(({ claimId }) => claimId === queued.ref.id);
      // One that is where it was before has not been replaced, and lives by its old session.
      if (found !== undefined && found.location !== queued.entry?.location)
        queued.entry = { ...found, session };
    }
    queued.unconfirmedIn = undefined;
  }

  /** Removes what the server has of it, or may have. True when there was something, and this call removed it. */
  async remove(queued: QueuedClaim): Promise<boolean> {
    queued.phase = 'leaving';
    await this.resolveUnconfirmed(queued);
    const { entry } = queued;
    const isRemoved = entry !== undefined && !entry.session.isLost && (await this.deps.store.remove(entry));
    queued.entryEnded();
    queued.phase = 'asking';
    return isRemoved;
  }

  /** Lets the session of its entry be one for leases of this length. The entry keeps its rank. */
  async ensureCovered(queued: QueuedClaim, leaseMs: number, units = Infinity): Promise<void> {
    const { entry } = queued;
    if (entry === undefined) return;
    const isCovered = leaseMs <= entry.session.maxLeaseMs;
    if (isCovered && units >= entry.units) return;
    const session = isCovered ? entry.session : await this.deps.store.session(leaseMs);
    const { claimId, resource, capacity } = entry;
    const reduced = units < entry.units ? ({ mode: 'shared', units } as const) : entry;
    const shape: Shape = {
      mode: reduced.mode,
      units: reduced.units,
      capacity,
      order: queued.ref.shape.order,
    };
    await this.#replace(queued, entry, { claimId, resource, shape, leaseMs }, session);
  }

  async #replace(
    queued: QueuedClaim,
    entry: OwnEntry,
    request: EnqueueRequest,
    session: OwnEntry['session'],
  ): Promise<void> {
    const { store } = this.deps;
    let replaced: OwnEntry | undefined;
    try {
      replaced = await store.replace(entry, request, session);
    } catch (error) {
      if (mayHaveActed(error)) queued.unconfirmedIn = session;
      throw error;
    }
    queued.entry = replaced;
    if (replaced === undefined) queued.entryEnded();
    else if (queued.phase === 'granted') store.watchOwn(replaced);
  }

  /** Repeats a grant: it lives on, unless it was revoked. */
  async #repeatGrant(queued: QueuedClaim, claim: Claim, sentAt: number): Promise<Verdict> {
    const [status] = await this.deps.store.confirm([queued.entry!]);
    if (status?.kind === 'present') return this.#grant(queued, claim, status.revision, sentAt);
    if (status?.kind === 'revoked') return { kind: 'refused', retryInMs: this.#remainingMs(queued) };
    this.#assertAnswered(status);
    queued.entryEnded();
    return this.#enqueue(queued, claim, sentAt);
  }

  async #enqueue(queued: QueuedClaim, claim: Claim, sentAt: number): Promise<Verdict> {
    const { store } = this.deps;
    const { resource, shape, leaseMs, id: claimId } = claim;
    const session = await store.session(leaseMs);
    // To open a session takes its time.
    if (this.#isLate(queued, claim)) return STALE;
    // A claim that does not queue writes nothing if it would be refused. Entries that this process
    // has just given back no longer count for its session.
    if (!claim.queue) {
      const queue = await store.read(resource, session);
      const ahead = queue.filter((entry) => !this.claims.isIgnored(entry));
      if (!fits(shape, ahead)) return this.#refusal(ahead);
      if (this.#isLate(queued, claim)) return STALE;
    }
    const request: EnqueueRequest = { resource, claimId, shape, leaseMs };
    const kept = this.#reusableFor(claim);
    // A process has one entry for claims without arrival order: a claim for more than it was kept for waits at the end.
    if (claim.queue && shape.order === 'any')
      for (const other of this.claims.forResource(resource))
        if (other.phase === 'kept' && other !== kept) this.discard(other);
    if (kept !== undefined) return this.#takeOver(kept, queued, claim, request, sentAt);
    try {
      const { entry, queue, revision } = await store.enqueue(request, session);
      queued.entry = entry;
      return await this.#decide(queued, claim, queue, revision, sentAt);
    } catch (error) {
      if (queued.entry === undefined && mayHaveActed(error)) queued.unconfirmedIn = session;
      throw error;
    }
  }

  /**
   * An entry that an earlier claim of this process has left: never for more units, which others may
   * have been given.
   */
  #reusableFor({ resource, shape }: Claim): QueuedClaim | undefined {
    if (shape.order !== 'any') return undefined;
    for (const queued of this.claims.forResource(resource)) {
      const { phase, entry, isBusy } = queued;
      if (phase !== 'kept' || isBusy || entry === undefined || entry.session.isLost) continue;
      if (entry.capacity === shape.capacity && entry.units >= shape.units) return queued;
    }
    return undefined;
  }

  #takeOver(kept: QueuedClaim, queued: QueuedClaim, claim: Claim, request: EnqueueRequest, sentAt: number) {
    const { store } = this.deps;
    return kept.requests.run(async () => {
      const session = await store.session(claim.leaseMs);
      const { entry } = kept;
      // Whatever the result, the rest of the old entry must go.
      kept.phase = 'leaving';
      if (entry !== undefined) await this.#replace(queued, entry, request, session);
      if (queued.entry === undefined) return { kind: 'refused', retryInMs: 1 } as const;
      kept.entryEnded();
      const queue = await store.read(claim.resource, session);
      return this.#decide(queued, claim, queue, undefined, sentAt);
    });
  }

  /**
   * A grant needs a queue that has room, and then proof that the entry still exists: the queue that
   * was read may be old.
   */
  async #decide(
    queued: QueuedClaim,
    claim: Claim,
    queue: readonly QueueEntry[],
    revision: number | undefined,
    sentAt: number,
  ): Promise<Verdict> {
    let ahead = entriesAhead(queue, claim.id, this.claims.isIgnored);
    if (ahead === undefined) return this.#entryGone(queued);
    if (!claim.queue && !fits(claim.shape, ahead)) {
      // Answers need not arrive in the order of the queue, and a claim ahead that is refused gives its entry back.
      await this.claims.decided(ahead);
      ahead = ahead.filter((entry) => !this.claims.isIgnored(entry));
    }
    if (!fits(claim.shape, ahead)) {
      queued.phase = claim.queue ? 'waiting' : 'leaving';
      if (claim.queue) this.#watchBlockers(queued, claim, ahead);
      return this.#refusal(ahead);
    }
    if (revision !== undefined) return this.#grant(queued, claim, revision, sentAt);
    const [status] = await this.deps.store.confirm([queued.entry!]);
    if (status?.kind === 'present') return this.#grant(queued, claim, status.revision, sentAt);
    this.#assertAnswered(status);
    // What was revoked before it was granted is given up.
    if (status?.kind === 'revoked') await this.remove(queued);
    return this.#entryGone(queued);
  }

  async #grant(queued: QueuedClaim, claim: Claim, revision: number, sentAt: number): Promise<Verdict> {
    const { clock, store } = this.deps;
    const { entry } = queued;
    if (entry === undefined) return STALE;
    if (claim.tokens > queued.tokens) {
      const changes = Math.ceil(claim.tokens / TOKENS_PER_REVISION) - 1;
      if (changes > 0) await store.advanceRevision(changes, entry.session);
      queued.token = tokenOf(revision, this.deps.name);
      queued.tokens = claim.tokens;
    }
    if (queued.isWithdrawn || queued.entry !== entry) return STALE;
    queued.expiresAt = Math.max(queued.phase === 'granted' ? queued.expiresAt : 0, sentAt + claim.leaseMs);
    // It took longer than the lease: no caller may rely on it.
    if (clock.now() >= queued.expiresAt) {
      queued.phase = 'leaving';
      return STALE;
    }
    if (queued.phase !== 'granted') store.watchOwn(entry);
    queued.phase = 'granted';
    return { kind: 'granted', token: claim.tokens > 0 ? queued.token : 0 };
  }

  /** Its entry was removed by force, or with its session: the next question makes a new one. */
  #entryGone(queued: QueuedClaim): Verdict {
    queued.entryEnded();
    return { kind: 'refused', retryInMs: 1 };
  }

  #watchBlockers(queued: QueuedClaim, { resource, id, shape }: Claim, ahead: readonly QueueEntry[]): void {
    queued.onBlockerDeleted ??= () => this.wake(resource, id);
    for (const entry of blockersOf(shape, ahead)) this.deps.store.onDeleted(entry, queued.onBlockerDeleted);
  }

  #refusal(ahead: readonly QueueEntry[]): Verdict {
    const now = this.deps.clock.now();
    const { holder, retryInMs } = refusalBy(ahead, ({ claimId, leaseMs }) => {
      const queued = this.claims.get(claimId);
      return queued?.phase === 'granted' ? Math.max(1, queued.expiresAt - now) : leaseMs;
    });
    return { kind: 'refused', retryInMs, ...(holder && { holder }) };
  }

  #isLate({ isWithdrawn }: QueuedClaim, { notAfter }: Claim): boolean {
    return isWithdrawn || this.deps.clock.now() > notAfter;
  }

  #remainingMs({ expiresAt }: QueuedClaim): number {
    return Math.max(1, expiresAt - this.deps.clock.now());
  }

  #assertAnswered(status: EntryStatus | undefined): void {
    if (status?.kind !== 'unknown' && status !== undefined) return;
    const cause = status?.cause;
    const reason = isUnavailable(cause) ? `: ${cause.detail}` : '';
    throw new BackendUnavailableError(this.deps.name, `no answer to a claim${reason}`, 'unknown', { cause });
  }
}
