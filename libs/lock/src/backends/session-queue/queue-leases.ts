import type {
  Claim,
  ClaimRef,
  ClaimView,
  HeldRef,
  RenewOutcome,
  Shape,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../core/claim.js';
import { atMost, within } from '../../core/clock.js';
import { BackendUnavailableError, InvalidOptionError } from '../../core/errors.js';
import type { LeaseDriver, Unsubscribe, Waker } from '../../core/ports/ports.js';
import type { HeldResource } from '../../core/ports/admin.js';
import { shapeOf } from '../kit/named-admin.js';
import { WakerMap } from '../kit/waker-map.js';
import { holdersIn } from './queue-admission.js';
import { ClaimProtocol, type QueueDeps } from './claim-protocol.js';
import { EntryReaper } from './entry-reaper.js';
import type { QueuedClaim } from './queued-claim.js';
import { QueuedClaims } from './queued-claims.js';
import type { QueueStoreListener, QueueSession } from './queue-store.js';

/**
 * Leases on ordered queues. The server knows the entries and their order, and ends those of dead
 * processes; how long a lease lasts, whether a caller still waits, and which ids are over is known
 * here.
 */
export class QueueLeases implements LeaseDriver, QueueStoreListener {
  readonly #claims: QueuedClaims;
  readonly #protocol: ClaimProtocol;
  readonly #reaper: EntryReaper;
  readonly #wakers = new WakerMap();
  #isClosed = false;

  constructor(
    private readonly deps: QueueDeps,
    private readonly onSuspect: (resource: string | undefined) => void,
  ) {
    const { clock } = deps;
    this.#claims = new QueuedClaims(clock);
    this.#protocol = new ClaimProtocol(
      deps,
      this.#claims,
      (resource, claimId) => this.#wakers.wake(resource, { claimId }),
      (queued) => this.#discard(queued),
    );
    const remove = (queued: QueuedClaim): Promise<unknown> => this.#protocol.remove(queued);
    this.#reaper = new EntryReaper(clock, this.#claims, remove, (queued) => this.#drop(queued));
  }

  async claim(claim: Claim): Promise<Verdict> {
    this.#assertOpen();
    const { clock, maxLeaseMs } = this.deps;
    if (!(claim.leaseMs <= maxLeaseMs))
      throw new InvalidOptionError('leaseMs', `at most ${maxLeaseMs}, the longest lease here`, claim.leaseMs);
    if (clock.now() > claim.notAfter || this.#claims.isWithdrawn(claim.id)) return { kind: 'stale' };
    const queued = this.#claims.getOrCreate(claim);
    queued.seenAt = clock.now();
    return this.#withTimeout('a claim', () =>
      queued.requests
        .run(() => this.#protocol.claim(queued, claim))
        .finally(() => this.#afterOperation(queued)),
    );
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    this.#assertOpen();
    const now = this.deps.clock.now();
    const outcomes: RenewOutcome[] = held.map(() => 'lost');
    const batch: { readonly at: number; readonly queued: QueuedClaim }[] = [];
    const changes: Promise<unknown>[] = [];
    for (const [at, ref] of held.entries()) {
      const queued = this.#claims.get(ref.id);
      if (queued?.isHeldAt(now) !== true) continue;
      outcomes[at] = 'unknown';
      const { entry } = queued;
      const isSame = entry!.units <= ref.shape.units && ref.leaseMs <= entry!.session.maxLeaseMs;
      if (isSame && !queued.isBusy && queued.unconfirmedIn === undefined) batch.push({ at, queued });
      else changes.push(this.#renewExclusively(queued, ref).then((outcome) => (outcomes[at] = outcome)));
    }
    const claims = batch.map(({ queued }) => queued);
    const answers = this.#confirm(claims, (i) => held[batch[i]!.at]!.leaseMs);
    const answered = answers.then((all) => all.forEach((outcome, i) => (outcomes[batch[i]!.at] = outcome)));
    await atMost(this.deps.clock, this.deps.operationTimeoutMs, Promise.all([answered, ...changes]));
    return [...outcomes];
  }

  async withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    this.#assertOpen();
    this.#claims.withdraw(ref.id);
    if (options.leaveQueue) this.#discardKept(ref.resource);
    const queued = this.#claims.get(ref.id);
    if (queued === undefined) return 'absent';
    queued.isWithdrawn = true;
    return this.#withTimeout('a withdrawal', () =>
      queued.requests.run(() => this.#withdraw(queued, options)).finally(() => this.#afterOperation(queued)),
    );
  }

  annotate({ id }: ClaimRef, { depth }: { readonly depth: number }): void {
    const queued = this.#claims.get(id);
    if (queued?.phase !== 'granted' || queued.isWithdrawn || queued.entry === undefined) return;
    this.deps.store.recordDepth(queued.entry, depth);
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    return (await this.find(resource)).flatMap(({ holders }) => holders);
  }

  /** See `AdminDriver.find()`. */
  async find(resource: string): Promise<readonly HeldResource[]> {
    this.#assertOpen();
    const queue = await this.#withTimeout('a look', () => this.deps.store.details(resource));
    const now = this.deps.clock.now();
    const entries = queue.filter((entry) => !this.#claims.isIgnored(entry));
    const held = new Set(holdersIn(entries));
    if (held.size === 0) return [];
    const holders = entries
      .filter((entry) => held.has(entry))
      .map(({ claimId: id, mode, units, depth, revoked, leaseMs, process }): ClaimView => {
        const queued = this.#claims.get(id);
        const remainingMs = queued?.phase === 'granted' ? Math.max(0, queued.expiresAt - now) : leaseMs;
        return { id, resource, mode, units, depth, revoked, remainingMs, ...(process && { process }) };
      });
    return [{ resource, shape: shapeOf(holders), holders, waiters: entries.length - holders.length }];
  }

  async revoke(resource: string, _shape: Shape, how: 'atExpiry' | 'now', holder?: string): Promise<boolean> {
    this.#assertOpen();
    return this.#withTimeout('a revocation', () => this.#revoke(resource, how, holder));
  }

  async watch(resource: string, _shape: Shape, waker: Waker): Promise<Unsubscribe> {
    this.#assertOpen();
    return this.#wakers.add(resource, waker);
  }

  sessionLost(session: QueueSession): void {
    for (const queued of this.#claims.all()) {
      if (queued.entry?.session === session) queued.entryEnded();
      if (queued.unconfirmedIn === session) queued.unconfirmedIn = undefined;
      this.#reaper.schedule(queued);
    }
    this.reconnected();
  }

  reconnected(): void {
    this.onSuspect(undefined);
    this.#wakers.wakeAll();
  }

  entryChanged(resource: string): void {
    this.onSuspect(resource);
  }

  /** Removes what can be removed within `ms`; sessions that end do the rest. */
  async close(ms: number): Promise<void> {
    this.#isClosed = true;
    this.#reaper.close();
    const removals = this.#claims.all().map(async (queued) => {
      queued.isWithdrawn = true;
      await queued.requests.run(() => this.#protocol.remove(queued)).catch(() => undefined);
      this.#drop(queued);
    });
    await atMost(this.deps.clock, ms, Promise.all(removals));
    this.#wakers.clear();
  }

  async #revoke(resource: string, how: 'atExpiry' | 'now', holder: string | undefined): Promise<boolean> {
    const { store } = this.deps;
    const queue = await store.read(resource);
    const holders = holdersIn(queue.filter((entry) => !this.#claims.isIgnored(entry))).filter(
      ({ claimId }) => holder === undefined || claimId === holder,
    );
    const done = await Promise.all(
      holders.map((entry) => (how === 'now' ? store.remove(entry) : store.revoke(entry))),
    );
    if (holders.length > 0) this.onSuspect(resource);
    if (how === 'now' && holders.length > 0) store.releaseQueue(resource);
    return done.includes(true);
  }

  async #renewExclusively(queued: QueuedClaim, ref: HeldRef): Promise<RenewOutcome> {
    const renewal = queued.requests.run(async () => {
      await this.#protocol.resolveUnconfirmed(queued);
      await this.#protocol.ensureCovered(queued, ref.leaseMs, ref.shape.units);
      const [outcome] = await this.#confirm([queued], () => ref.leaseMs);
      return outcome!;
    });
    return renewal.catch(() => 'unknown' as const);
  }

  async #confirm(
    claims: readonly QueuedClaim[],
    leaseMsOf: (i: number) => number,
  ): Promise<readonly RenewOutcome[]> {
    const sentAt = this.deps.clock.now();
    const asked = claims.map((queued) => (queued.isHeldAt(sentAt) ? queued.entry : undefined));
    const entries = asked.filter((entry) => entry !== undefined);
    for (const queued of claims) queued.renewalsInFlight += 1;
    const statuses = entries.length === 0 ? [] : await this.deps.store.confirm(entries);
    for (const queued of claims) queued.renewalsInFlight -= 1;
    const answers = statuses.values();
    return claims.map((queued, i) => {
      if (asked[i] === undefined) return 'lost';
      const { kind } = answers.next().value ?? { kind: 'unknown' };
      // It was given back meanwhile, or has ended.
      if (queued.phase !== 'granted' || queued.entry !== asked[i]) return 'lost';
      if (kind === 'present') {
        queued.expiresAt = Math.max(queued.expiresAt, sentAt + leaseMsOf(i));
        return 'renewed';
      }
      if (kind !== 'gone') return kind;
      queued.entryEnded();
      this.#reaper.schedule(queued);
      return 'lost';
    });
  }

  async #withdraw(queued: QueuedClaim, { leaveQueue }: WithdrawOptions): Promise<WithdrawOutcome> {
    const now = this.deps.clock.now();
    const isHeld = queued.isHeldAt(now);
    const isQueued = queued.phase === 'waiting' && queued.entry !== undefined;
    if (isQueued && queued.ref.shape.order === 'any' && !leaveQueue && !this.#hasOtherClaimant(queued)) {
      queued.phase = 'kept';
      queued.seenAt = now;
      return 'absent';
    }
    const isRemoved = await this.#protocol.remove(queued);
    return isHeld && isRemoved ? 'released' : 'absent';
  }

  /** This process has an entry in the same queue already, or will have one. */
  #hasOtherClaimant(queued: QueuedClaim): boolean {
    for (const other of this.#claims.forResource(queued.ref.resource)) {
      const isAsking = other.phase === 'asking' || other.phase === 'waiting';
      if (other !== queued && isAsking && !other.isWithdrawn) return true;
    }
    return false;
  }

  #discardKept(resource: string): void {
    for (const queued of this.#claims.forResource(resource)) {
      if (queued.phase === 'kept') this.#discard(queued);
    }
  }

  #discard(queued: QueuedClaim): void {
    queued.phase = 'leaving';
    this.#reaper.schedule(queued);
  }

  #afterOperation(queued: QueuedClaim): void {
    if (queued.isGone && !queued.isBusy) this.#drop(queued);
    else this.#reaper.schedule(queued);
  }

  #drop(queued: QueuedClaim): void {
    if (this.#claims.drop(queued)) this.deps.store.releaseQueue(queued.ref.resource);
  }

  /** What takes longer goes on by itself; its end is an entry that is known, or one that is unconfirmed. */
  #withTimeout<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { clock, name, operationTimeoutMs } = this.deps;
    const late = (): Error =>
      new BackendUnavailableError(name, `no answer to ${what} within ${operationTimeoutMs} ms`, 'unknown');
    return within(clock, operationTimeoutMs, work(), late);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new BackendUnavailableError(this.deps.name, 'it is closed', 'no');
  }
}
