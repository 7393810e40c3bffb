import type { Claim, Shape, Verdict } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { BackendUnavailableError } from '../../core/errors.js';
import { mayHaveActed } from '../../core/unavailable.js';
import { aheadOf, blockersOf, fits, refusalBy } from './line.js';
import type { LineRecord } from './line-record.js';
import type { LineRecords } from './line-records.js';
import type { LineStore, OwnPlace, Place, PlaceTerms, Standing } from './line-store.js';
import { tokenOf, TOKENS_PER_STAMP } from './tokens.js';

const STALE = { kind: 'stale' } as const;

/** What is asked, by whom. */
export interface LineGround {
  /** Name of the backend. */
  readonly name: string;
  readonly clock: Clock;
  readonly store: LineStore;
  readonly operationTimeoutMs: number;
  readonly maxLeaseMs: number;
}

/** How a claim becomes a place, and a place a grant. Every step runs in its record's turn. */
export class LineAsking {
  constructor(
    private readonly ground: LineGround,
    private readonly records: LineRecords,
    /** Somebody who stood in the way of this claim has left. */
    private readonly wake: (resource: string, claimId: string) => void,
    /** Nobody of this process will take the place of this one over. */
    private readonly letGo: (record: LineRecord) => void,
  ) {}

  async ask(record: LineRecord, claim: Claim): Promise<Verdict> {
    const now = this.ground.clock.now();
    if (this.#isLate(record, claim)) return STALE;
    if (record.phase === 'leaving') await this.remove(record);
    await this.settleDoubt(record);
    if (record.place?.session.isLost === true) record.forget();
    if (record.place !== undefined) await this.cover(record, claim.leaseMs);
    if (record.place !== undefined && record.phase === 'granted') return this.#repeat(record, claim, now);
    if (record.place === undefined) return this.#enter(record, claim, now);
    const line = await this.ground.store.read(claim.resource, record.place.session);
    return this.#judge(record, claim, line, undefined, now);
  }

  /** Looks for a place that may have been made without an answer. */
  async settleDoubt(record: LineRecord): Promise<void> {
    const session = record.doubt;
    if (session === undefined) return;
    if (!session.isLost) {
      const line = await this.ground.store.read(record.ref.resource, session);
      const found = line.find(({ claimId }) => claimId === record.ref.id);
      // One that is where it was before has not been moved, and lives by its old session.
      if (found !== undefined && found.at !== record.place?.at) record.place = { ...found, session };
    }
    record.doubt = undefined;
  }

  /** Removes what the server has of it, or may have. True when there was something, and this call removed it. */
  async remove(record: LineRecord): Promise<boolean> {
    record.phase = 'leaving';
    await this.settleDoubt(record);
    const { place } = record;
    const isRemoved = place !== undefined && !place.session.isLost && (await this.ground.store.remove(place));
    record.forget();
    record.phase = 'asking';
    return isRemoved;
  }

  /** Lets the session of its place be one for leases of this length. The place keeps its rank. */
  async cover(record: LineRecord, leaseMs: number, units = Infinity): Promise<void> {
    const { place } = record;
    if (place === undefined) return;
    const isCovered = leaseMs <= place.session.coversMs;
    if (isCovered && units >= place.units) return;
    const session = isCovered ? place.session : await this.ground.store.session(leaseMs);
    const { claimId, resource, capacity } = place;
    const less = units < place.units ? ({ mode: 'shared', units } as const) : place;
    const shape: Shape = { mode: less.mode, units: less.units, capacity, order: record.ref.shape.order };
    await this.#move(record, place, { claimId, resource, shape, leaseMs }, session);
  }

  async #move(
    record: LineRecord,
    place: OwnPlace,
    terms: PlaceTerms,
    session: OwnPlace['session'],
  ): Promise<void> {
    const { store } = this.ground;
    let moved: OwnPlace | undefined;
    try {
      moved = await store.move(place, terms, session);
    } catch (error) {
      if (mayHaveActed(error)) record.doubt = session;
      throw error;
    }
    record.place = moved;
    if (moved === undefined) record.forget();
    else if (record.phase === 'granted') store.guard(moved);
  }

  /** A grant that is asked for again lives on, unless it was revoked. */
  async #repeat(record: LineRecord, claim: Claim, sentAt: number): Promise<Verdict> {
    const [standing] = await this.ground.store.confirm([record.place!]);
    if (standing?.kind === 'there') return this.#grant(record, claim, standing.stamp, sentAt);
    if (standing?.kind === 'revoked') return { kind: 'refused', retryInMs: this.#restOf(record) };
    this.#assertAnswered(standing);
    record.forget();
    return this.#enter(record, claim, sentAt);
  }

  async #enter(record: LineRecord, claim: Claim, sentAt: number): Promise<Verdict> {
    const { store } = this.ground;
    const { resource, shape, leaseMs, id: claimId } = claim;
    const session = await store.session(leaseMs);
    // To open a session takes its time.
    if (this.#isLate(record, claim)) return STALE;
    // Who only tries writes nothing where it would be in vain. What this process has just given back is gone for its session.
    if (!claim.queue) {
      const line = await store.read(resource, session);
      const ahead = line.filter((place) => !this.records.isIgnored(place));
      if (!fits(shape, ahead)) return this.#refusal(ahead);
      if (this.#isLate(record, claim)) return STALE;
    }
    const terms: PlaceTerms = { resource, claimId, shape, leaseMs };
    const kept = this.#keptFor(claim);
    // A process has one place for those who do not queue: who wants more than it was kept for stands at the end.
    if (claim.queue && shape.order === 'any')
      for (const other of this.records.of(resource))
        if (other.phase === 'kept' && other !== kept) this.letGo(other);
    if (kept !== undefined) return this.#takeOver(kept, record, claim, terms, sentAt);
    try {
      const { place, line, stamp } = await store.enter(terms, session);
      record.place = place;
      return await this.#judge(record, claim, line, stamp, sentAt);
    } catch (error) {
      if (record.place === undefined && mayHaveActed(error)) record.doubt = session;
      throw error;
    }
  }

  /** A place that an earlier claim of this process has left: never for more units, which others may have been given. */
  #keptFor({ resource, shape }: Claim): LineRecord | undefined {
    if (shape.order !== 'any') return undefined;
    for (const record of this.records.of(resource)) {
      const { phase, place, isBusy } = record;
      if (phase !== 'kept' || isBusy || place === undefined || place.session.isLost) continue;
      if (place.capacity === shape.capacity && place.units >= shape.units) return record;
    }
    return undefined;
  }

  #takeOver(kept: LineRecord, record: LineRecord, claim: Claim, terms: PlaceTerms, sentAt: number) {
    const { store } = this.ground;
    return kept.inTurn(async () => {
      const session = await store.session(claim.leaseMs);
      const { place } = kept;
      // Whatever comes of it, what is left of the old place is to go.
      kept.phase = 'leaving';
      if (place !== undefined) await this.#move(record, place, terms, session);
      if (record.place === undefined) return { kind: 'refused', retryInMs: 1 } as const;
      kept.forget();
      const line = await store.read(claim.resource, session);
      return this.#judge(record, claim, line, undefined, sentAt);
    });
  }

  /** A grant needs a line that has room, and then a proof that the place still stands: what is read may be old. */
  async #judge(
    record: LineRecord,
    claim: Claim,
    line: readonly Place[],
    stamp: number | undefined,
    sentAt: number,
  ): Promise<Verdict> {
    const ahead = aheadOf(line, claim.id, this.records.isIgnored);
    if (ahead === undefined) return this.#goneFrom(record);
    if (!fits(claim.shape, ahead)) {
      record.phase = claim.queue ? 'waiting' : 'leaving';
      if (claim.queue) this.#watch(record, claim, ahead);
      return this.#refusal(ahead);
    }
    if (stamp !== undefined) return this.#grant(record, claim, stamp, sentAt);
    const [standing] = await this.ground.store.confirm([record.place!]);
    if (standing?.kind === 'there') return this.#grant(record, claim, standing.stamp, sentAt);
    this.#assertAnswered(standing);
    // What was revoked before it was granted is given up.
    if (standing?.kind === 'revoked') await this.remove(record);
    return this.#goneFrom(record);
  }

  async #grant(record: LineRecord, claim: Claim, stamp: number, sentAt: number): Promise<Verdict> {
    const { clock, store } = this.ground;
    const { place } = record;
    if (place === undefined) return STALE;
    if (claim.tokens > record.tokens) {
      const changes = Math.ceil(claim.tokens / TOKENS_PER_STAMP) - 1;
      if (changes > 0) await store.skip(changes, place.session);
      record.token = tokenOf(stamp, this.ground.name);
      record.tokens = claim.tokens;
    }
    if (record.isWithdrawn || record.place !== place) return STALE;
    record.until = Math.max(record.phase === 'granted' ? record.until : 0, sentAt + claim.leaseMs);
    // It took longer than the lease: nobody may believe in it.
    if (clock.now() >= record.until) {
      record.phase = 'leaving';
      return STALE;
    }
    if (record.phase !== 'granted') store.guard(place);
    record.phase = 'granted';
    return { kind: 'granted', token: claim.tokens > 0 ? record.token : 0 };
  }

  /** Its place was removed by force, or with its session: the next question makes a new one. */
  #goneFrom(record: LineRecord): Verdict {
    record.forget();
    return { kind: 'refused', retryInMs: 1 };
  }

  #watch(record: LineRecord, { resource, id, shape }: Claim, ahead: readonly Place[]): void {
    record.onGone ??= () => this.wake(resource, id);
    for (const place of blockersOf(shape, ahead)) this.ground.store.whenGone(place, record.onGone);
  }

  #refusal(ahead: readonly Place[]): Verdict {
    const now = this.ground.clock.now();
    const { holder, retryInMs } = refusalBy(ahead, ({ claimId, leaseMs }) => {
      const record = this.records.get(claimId);
      return record?.phase === 'granted' ? Math.max(1, record.until - now) : leaseMs;
    });
    return { kind: 'refused', retryInMs, ...(holder && { holder }) };
  }

  #isLate({ isWithdrawn }: LineRecord, { notAfter }: Claim): boolean {
    return isWithdrawn || this.ground.clock.now() > notAfter;
  }

  #restOf({ until }: LineRecord): number {
    return Math.max(1, until - this.ground.clock.now());
  }

  #assertAnswered(standing: Standing | undefined): void {
    if (standing?.kind !== 'unknown' && standing !== undefined) return;
    throw new BackendUnavailableError(this.ground.name, 'no answer to a claim', 'unknown');
  }
}
