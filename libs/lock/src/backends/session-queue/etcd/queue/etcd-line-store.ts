import type { IRequestOp } from 'etcd3';
import type { ProcessView } from '../../../../core/claim.js';
import type { Unsubscribe } from '../../../../core/ports/ports.js';
import type {
  Entered,
  LineNews,
  LineStore,
  OwnPlace,
  Place,
  PlaceTerms,
  Standing,
} from '../../line-store.js';
import { Departures } from './departures.js';
import { Entrance } from './entrance.js';
import { lineOf, newWriting, placeOf, revisionOf, type EtcdPlace } from './etcd-place.js';
import type { EtcdSession, SessionGround } from '../session/etcd-session.js';
import { EtcdSessions } from '../session/etcd-sessions.js';
import { EtcdWatches } from './etcd-watches.js';
import { isAsRead, isSame, Marks, sameAs } from './marks.js';
import { Reading } from './reading.js';
import { Removal } from './removal.js';

/** Places in one transaction: etcd allows 128 operations. */
const MOST_PLACES = 100;

/** A place of this process, as this store makes it. */
export interface EtcdOwnPlace extends EtcdPlace {
  readonly session: EtcdSession;
}

export interface StoreTerms extends SessionGround {
  readonly maxLeaseMs: number;
  /** Who stands in the line. */
  readonly process: ProcessView;
}

/**
 * Lines in etcd: a key for each place, attached to the lease of its session, ranked by the change that made it. A claim is
 * one transaction, which puts the key and reads the line.
 */
export class EtcdLineStore implements LineStore {
  readonly #sessions: EtcdSessions;
  readonly #watches: EtcdWatches;
  readonly #departures: Departures;
  readonly #marks: Marks;
  readonly #entrance: Entrance;
  readonly #removal: Removal;
  readonly #reading: Reading;
  readonly #listening = new Map<EtcdSession, Unsubscribe>();

  constructor(
    private readonly terms: StoreTerms,
    private readonly news: LineNews,
  ) {
    const { link, clock, maxLeaseMs } = terms;
    this.#watches = new EtcdWatches(link, clock, () => news.regained());
    this.#departures = new Departures(this.#watches);
    this.#marks = new Marks(terms, (leaseId) => this.#sessions.has(leaseId));
    this.#entrance = new Entrance(terms, terms.process);
    this.#removal = new Removal(terms);
    this.#reading = new Reading(terms);
    this.#sessions = new EtcdSessions(
      terms,
      maxLeaseMs,
      (session) => this.#listen(session),
      (session) => this.#lost(session),
    );
  }

  session(leaseMs: number): Promise<EtcdSession> {
    return this.#sessions.for(leaseMs);
  }

  enter(terms: PlaceTerms, session: EtcdSession): Promise<Entered> {
    return this.#entrance.enter(terms, session);
  }

  async read(resource: string, session?: EtcdSession): Promise<readonly EtcdPlace[]> {
    if (session?.isInDoubt !== true || session.isLost) return this.#reading.line(resource);
    const { link, keys } = this.terms;
    const range = { request_range: keys.line(resource) };
    const { header, responses } = await session.raise([range], link.deadline());
    return lineOf(resource, responses[0]!.response_range.kvs, revisionOf(header));
  }

  async confirm(places: readonly OwnPlace[]): Promise<readonly Standing[]> {
    const standings: Standing[] = [];
    const asked = (places as readonly EtcdOwnPlace[]).map((place, at) => ({ place, at }));
    const batches = Array.from(new Set(asked.map(({ place }) => place.session)), (session) => {
      const own = asked.filter(({ place }) => place.session === session);
      return Array.from({ length: Math.ceil(own.length / MOST_PLACES) }, async (_, i) => {
        const some = own.slice(i * MOST_PLACES, (i + 1) * MOST_PLACES);
        const found = await this.#confirm(
          session,
          some.map(({ place }) => place),
        );
        for (const [i, { at }] of some.entries()) standings[at] = found[i]!;
      });
    });
    await Promise.all(batches.flat());
    return standings;
  }

  async move(place: OwnPlace, terms: PlaceTerms, session: EtcdSession): Promise<EtcdOwnPlace | undefined> {
    const { link, keys, process } = this.terms;
    const { resource, claimId } = terms;
    const until = link.deadline();
    let from: EtcdPlace | undefined = place as EtcdOwnPlace;
    while (from !== undefined) {
      const key = keys.newPlace(resource, claimId);
      const marks = from.claimId === claimId ? { depth: from.depth, revoked: from.revoked } : {};
      const value = newWriting(terms, process, { rank: from.rank, turn: from.turn, ...marks });
      const reply = await session.numbered(
        {
          compare: [isAsRead(from)],
          success: [
            { request_delete_range: { key: from.key } },
            { request_put: { key, value, lease: session.leaseId } },
          ],
          failure: [{ request_range: { key: from.key } }],
        },
        until,
      );
      const seen = revisionOf(reply.header);
      if (reply.succeeded) {
        const [create_revision, lease] = [reply.header.revision, session.leaseId];
        const kv = { key, value, create_revision, mod_revision: create_revision, version: '1', lease };
        return { ...placeOf(resource, kv, seen), session };
      }
      from = sameAs(from, reply.responses[0]?.response_range.kvs[0], seen);
    }
    return undefined;
  }

  async skip(changes: number, session: EtcdSession): Promise<void> {
    const until = this.terms.link.deadline();
    const each = Array.from({ length: changes }, () =>
      session.numbered({ success: [session.touch] }, until, true),
    );
    await Promise.all(each);
  }

  async remove(place: Place): Promise<boolean> {
    const at = place as EtcdPlace;
    if (this.#sessions.has(at.leaseId)) return this.#removal.remove(at);
    const { link } = this.terms;
    return this.#marks.tellingOwner(at, async (note) => {
      const request = {
        compare: [isSame(at)],
        success: [{ request_delete_range: { key: at.key } }, ...note],
      };
      return (await link.txn(request, link.deadline())).succeeded;
    });
  }

  whenGone(place: Place, wake: () => void): void {
    this.#departures.whenGone(place as EtcdPlace, wake);
  }

  /** Whoever changes a place of another process leaves a note for it, so nothing more has to be watched. */
  guard(): void {}

  revoke(place: Place): Promise<boolean> {
    return this.#marks.revoke(place as EtcdPlace);
  }

  note(place: OwnPlace, depth: number): void {
    this.#marks.note(place as EtcdOwnPlace, depth);
  }

  async details(resource: string): Promise<readonly EtcdPlace[]> {
    return this.read(resource);
  }

  /** A line without places has no keys. */
  forget(): void {}

  /** What was asked before it is answered before it, as on one connection. */
  async ping(): Promise<void> {
    const { link, keys } = this.terms;
    const asked = link.range({ key: keys.session('0'), count_only: true }, link.deadline());
    await Promise.all([asked, this.#entrance.whenAnswered()]);
  }

  async close(): Promise<void> {
    this.#watches.close();
    await this.#sessions.close();
    this.terms.link.close();
  }

  async #confirm(session: EtcdSession, places: readonly EtcdOwnPlace[]): Promise<readonly Standing[]> {
    const until = this.terms.link.deadline();
    const reads = places.map(({ key }): IRequestOp => ({ request_range: { key } }));
    try {
      const { answer, isCovered } = await session.beside(session.coversMs, until, () =>
        session.numbered({ success: [session.touch, ...reads] }, until, true),
      );
      const stamp = revisionOf(answer.header);
      return places.map((place, i): Standing => {
        const kv = answer.responses[i + 1]!.response_range.kvs[0];
        const now = sameAs(place, kv, stamp);
        if (now === undefined || now.leaseId !== session.leaseId) return { kind: 'gone' };
        if (now.revoked) return { kind: 'revoked' };
        return isCovered ? { kind: 'there', stamp } : { kind: 'unknown' };
      });
    } catch {
      return places.map(() => ({ kind: session.isLost ? 'gone' : 'unknown' }) as const);
    }
  }

  /** Hears of the end of a session, and of what others do to its places. */
  #listen(session: EtcdSession): void {
    const { leaseId, openedAt: from } = session;
    const stops = [
      this.#watches.add({
        key: session.key,
        from,
        onlyItsEnd: true,
        onEvent: (event) => event !== undefined && session.end(),
      }),
      this.#watches.add({
        key: this.terms.keys.note(leaseId),
        from,
        onlyItsEnd: false,
        onEvent: (event) => {
          if (event === undefined) this.news.regained();
          else if (event.type === 'Put') this.news.touched(event.kv.value.toString());
        },
      }),
    ];
    this.#listening.set(session, () => stops.forEach((stop) => stop()));
  }

  #lost(session: EtcdSession): void {
    this.#listening.get(session)?.();
    this.#listening.delete(session);
    this.news.lost(session);
  }
}
