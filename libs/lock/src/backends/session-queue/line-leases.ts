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
import { holdersIn } from './line.js';
import { LineAsking, type LineGround } from './line-asking.js';
import { LineKeeper } from './line-keeper.js';
import type { LineRecord } from './line-record.js';
import { LineRecords } from './line-records.js';
import type { LineNews, LineSession } from './line-store.js';

/**
 * Leases on ordered lines. The server knows the places and their order, and ends those of dead processes; how long a lease
 * lasts, whether somebody still waits, and which ids are over is known here.
 */
export class LineLeases implements LeaseDriver, LineNews {
  readonly #records: LineRecords;
  readonly #asking: LineAsking;
  readonly #keeper: LineKeeper;
  readonly #wakes = new Map<string, Set<Waker>>();
  #isClosed = false;

  constructor(
    private readonly ground: LineGround,
    private readonly onSuspect: (resource: string | undefined) => void,
  ) {
    const { clock } = ground;
    this.#records = new LineRecords(clock);
    this.#asking = new LineAsking(
      ground,
      this.#records,
      (resource, claimId) => this.#wakes.get(resource)?.forEach((wake) => wake({ claimId })),
      (record) => this.#letGo(record),
    );
    const remove = (record: LineRecord): Promise<unknown> => this.#asking.remove(record);
    this.#keeper = new LineKeeper(clock, this.#records, remove, (record) => this.#drop(record));
  }

  async claim(claim: Claim): Promise<Verdict> {
    this.#assertOpen();
    const { clock, maxLeaseMs } = this.ground;
    if (!(claim.leaseMs <= maxLeaseMs))
      throw new InvalidOptionError('leaseMs', `at most ${maxLeaseMs}, the longest lease here`, claim.leaseMs);
    if (clock.now() > claim.notAfter || this.#records.isWithdrawn(claim.id)) return { kind: 'stale' };
    const record = this.#records.obtain(claim);
    record.seenAt = clock.now();
    return this.#bounded('a claim', () =>
      record.inTurn(() => this.#asking.ask(record, claim)).finally(() => this.#settled(record)),
    );
  }

  async renew(held: readonly HeldRef[]): Promise<readonly RenewOutcome[]> {
    this.#assertOpen();
    const now = this.ground.clock.now();
    const outcomes: RenewOutcome[] = held.map(() => 'lost');
    const batch: { readonly at: number; readonly record: LineRecord }[] = [];
    const changes: Promise<unknown>[] = [];
    for (const [at, ref] of held.entries()) {
      const record = this.#records.get(ref.id);
      if (record?.isHeldAt(now) !== true) continue;
      outcomes[at] = 'unknown';
      const { place } = record;
      const isSame = place!.units <= ref.shape.units && ref.leaseMs <= place!.session.coversMs;
      if (isSame && !record.isBusy && record.doubt === undefined) batch.push({ at, record });
      else changes.push(this.#renewInTurn(record, ref).then((outcome) => (outcomes[at] = outcome)));
    }
    const records = batch.map(({ record }) => record);
    const answers = this.#confirm(records, (i) => held[batch[i]!.at]!.leaseMs);
    const answered = answers.then((all) => all.forEach((outcome, i) => (outcomes[batch[i]!.at] = outcome)));
    await atMost(this.ground.clock, this.ground.operationTimeoutMs, Promise.all([answered, ...changes]));
    return [...outcomes];
  }

  async withdraw(ref: ClaimRef, options: WithdrawOptions): Promise<WithdrawOutcome> {
    this.#assertOpen();
    this.#records.withdraw(ref.id);
    if (options.leaveQueue) this.#leaveLine(ref.resource);
    const record = this.#records.get(ref.id);
    if (record === undefined) return 'absent';
    record.isWithdrawn = true;
    return this.#bounded('a withdrawal', () =>
      record.inTurn(() => this.#withdraw(record, options)).finally(() => this.#settled(record)),
    );
  }

  annotate({ id }: ClaimRef, { depth }: { readonly depth: number }): void {
    const record = this.#records.get(id);
    if (record?.phase !== 'granted' || record.isWithdrawn || record.place === undefined) return;
    this.ground.store.note(record.place, depth);
  }

  async inspect(resource: string): Promise<readonly ClaimView[]> {
    this.#assertOpen();
    const line = await this.#bounded('a look', () => this.ground.store.details(resource));
    const now = this.ground.clock.now();
    const holders = new Set(holdersIn(line.filter((place) => !this.#records.isIgnored(place))));
    return line
      .filter((place) => holders.has(place))
      .map(({ claimId: id, mode, units, depth, revoked, leaseMs, process }) => {
        const record = this.#records.get(id);
        const remainingMs = record?.phase === 'granted' ? Math.max(0, record.until - now) : leaseMs;
        return { id, resource, mode, units, depth, revoked, remainingMs, ...(process && { process }) };
      });
  }

  async revoke(resource: string, _shape: Shape, how: 'atExpiry' | 'now'): Promise<boolean> {
    this.#assertOpen();
    return this.#bounded('a revocation', () => this.#revoke(resource, how));
  }

  async watch(resource: string, _shape: Shape, waker: Waker): Promise<Unsubscribe> {
    this.#assertOpen();
    // Every call counts for itself, also with a function that watches already.
    const wake: Waker = (why) => waker(why);
    const wakes = this.#wakes.get(resource) ?? new Set();
    this.#wakes.set(resource, wakes.add(wake));
    return () => {
      if (wakes.delete(wake) && wakes.size === 0) this.#wakes.delete(resource);
    };
  }

  lost(session: LineSession): void {
    for (const record of this.#records.all()) {
      if (record.place?.session === session) record.forget();
      if (record.doubt === session) record.doubt = undefined;
      this.#keeper.mind(record);
    }
    this.regained();
  }

  regained(): void {
    this.onSuspect(undefined);
    for (const wakes of this.#wakes.values()) for (const wake of wakes) wake();
  }

  touched(resource: string): void {
    this.onSuspect(resource);
  }

  /** Removes what can be removed within `ms`; sessions that end do the rest. */
  async close(ms: number): Promise<void> {
    this.#isClosed = true;
    this.#keeper.close();
    const removals = this.#records.all().map(async (record) => {
      record.isWithdrawn = true;
      await record.inTurn(() => this.#asking.remove(record)).catch(() => undefined);
      this.#drop(record);
    });
    await atMost(this.ground.clock, ms, Promise.all(removals));
    this.#wakes.clear();
  }

  async #revoke(resource: string, how: 'atExpiry' | 'now'): Promise<boolean> {
    const { store } = this.ground;
    const line = await store.read(resource);
    const holders = holdersIn(line.filter((place) => !this.#records.isIgnored(place)));
    const done = await Promise.all(
      holders.map((place) => (how === 'now' ? store.remove(place) : store.revoke(place))),
    );
    if (holders.length > 0) this.onSuspect(resource);
    if (how === 'now' && holders.length > 0) store.forget(resource);
    return done.includes(true);
  }

  async #renewInTurn(record: LineRecord, ref: HeldRef): Promise<RenewOutcome> {
    const renewal = record.inTurn(async () => {
      await this.#asking.settleDoubt(record);
      await this.#asking.cover(record, ref.leaseMs, ref.shape.units);
      const [outcome] = await this.#confirm([record], () => ref.leaseMs);
      return outcome!;
    });
    return renewal.catch(() => 'unknown' as const);
  }

  async #confirm(
    records: readonly LineRecord[],
    leaseMsOf: (i: number) => number,
  ): Promise<readonly RenewOutcome[]> {
    const sentAt = this.ground.clock.now();
    const asked = records.map((record) => (record.isHeldAt(sentAt) ? record.place : undefined));
    const places = asked.filter((place) => place !== undefined);
    for (const record of records) record.renewals += 1;
    const standings = places.length === 0 ? [] : await this.ground.store.confirm(places);
    for (const record of records) record.renewals -= 1;
    const answers = standings.values();
    return records.map((record, i) => {
      if (asked[i] === undefined) return 'lost';
      const { kind } = answers.next().value ?? { kind: 'unknown' };
      // It was given back meanwhile, or has ended.
      if (record.phase !== 'granted' || record.place !== asked[i]) return 'lost';
      if (kind === 'there') {
        record.until = Math.max(record.until, sentAt + leaseMsOf(i));
        return 'renewed';
      }
      if (kind !== 'gone') return kind;
      record.forget();
      this.#keeper.mind(record);
      return 'lost';
    });
  }

  async #withdraw(record: LineRecord, { leaveQueue }: WithdrawOptions): Promise<WithdrawOutcome> {
    const now = this.ground.clock.now();
    const isHeld = record.isHeldAt(now);
    const isInLine = record.phase === 'waiting' && record.place !== undefined;
    if (isInLine && record.ref.shape.order === 'any' && !leaveQueue && !this.#asksBeside(record)) {
      record.phase = 'kept';
      record.seenAt = now;
      return 'absent';
    }
    const isRemoved = await this.#asking.remove(record);
    return isHeld && isRemoved ? 'released' : 'absent';
  }

  /** This process has a place in the same line already, or will have one. */
  #asksBeside(record: LineRecord): boolean {
    for (const other of this.#records.of(record.ref.resource)) {
      const isAsking = other.phase === 'asking' || other.phase === 'waiting';
      if (other !== record && isAsking && !other.isWithdrawn) return true;
    }
    return false;
  }

  #leaveLine(resource: string): void {
    for (const record of this.#records.of(resource)) {
      if (record.phase === 'kept') this.#letGo(record);
    }
  }

  #letGo(record: LineRecord): void {
    record.phase = 'leaving';
    this.#keeper.mind(record);
  }

  #settled(record: LineRecord): void {
    if (record.isGone && !record.isBusy) this.#drop(record);
    else this.#keeper.mind(record);
  }

  #drop(record: LineRecord): void {
    if (this.#records.drop(record)) this.ground.store.forget(record.ref.resource);
  }

  /** What takes longer goes on by itself; its end is a place that is known, or one that is in doubt. */
  #bounded<T>(what: string, work: () => Promise<T>): Promise<T> {
    const { clock, name, operationTimeoutMs } = this.ground;
    const late = (): Error =>
      new BackendUnavailableError(name, `no answer to ${what} within ${operationTimeoutMs} ms`, 'unknown');
    return within(clock, operationTimeoutMs, work(), late);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new BackendUnavailableError(this.ground.name, 'it is closed', 'no');
  }
}
