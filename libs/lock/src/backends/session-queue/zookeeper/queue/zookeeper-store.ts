import type { ProcessView } from '../../../../core/claim.js';
import type { Clock, Timer } from '../../../../core/clock.js';
import type {
  Entered,
  LineSession,
  LineStore,
  OwnPlace,
  Place,
  PlaceDetails,
  PlaceTerms,
  Standing,
} from '../../line-store.js';
import { notDone, unanswered } from '../connection/failures.js';
import { Guards } from './guards.js';
import { isFault, NodeFault, type Step } from '../connection/link.js';
import type { Paths } from '../session/paths.js';
import { rankOf } from '../session/paths.js';
import { decodeData, encodeData, type PlaceData } from './place-data.js';
import { confirmAll, revokeAt, Writings, type Written } from './standings.js';
import { Watches } from './watches.js';
import { createUnlessThere, type ZooKeeperSession } from '../session/zookeeper-session.js';
import type { ZooKeeperSessions } from '../session/zookeeper-sessions.js';

/**
 * A line is removed so long after its last place has left, in ms: busy locks keep theirs. The server removes what those leave
 * behind who die, since a line is a container: at its leisure, which is a minute.
 */
const IDLE_MS = 200;
/** What is changed or removed by others in this very moment is tried again; more often is no chance. */
const TRIES = 5;

export interface StoreTerms {
  readonly paths: Paths;
  readonly sessions: ZooKeeperSessions;
  readonly clock: Clock;
  readonly process: ProcessView;
  readonly onTouched: (resource: string) => void;
}

/** A line is a container, and its places are ephemeral sequential children of it, told by their names alone. */
export class ZooKeeperStore implements LineStore {
  readonly #writings: Writings;
  readonly #watches: Watches;
  readonly #guards: Guards;
  readonly #idle = new Map<string, Timer>();
  /** Lines that this process uses: they are there, unless somebody else has removed them. */
  readonly #lines = new Set<string>();

  constructor(private readonly terms: StoreTerms) {
    this.#writings = new Writings(terms.process);
    this.#watches = new Watches(() => terms.sessions.any());
    this.#guards = new Guards(terms.onTouched);
  }

  session(leaseMs: number): Promise<LineSession> {
    return this.terms.sessions.get(leaseMs);
  }

  async enter(terms: PlaceTerms, session: LineSession): Promise<Entered> {
    const { paths } = this.terms;
    const { resource } = terms;
    const own = session as ZooKeeperSession;
    this.#staysFor(resource);
    const data: PlaceData = { depth: 1, revoked: false, process: this.terms.process };
    const create: Step = {
      kind: 'create',
      path: paths.stem(resource, terms),
      data: encodeData(data),
      mode: 'ephemeralSequential',
    };
    for (let tries = 1; ; tries += 1) {
      // Where there may be no line, it is made in the same trip as the place.
      const isThere = tries === 1 && this.#lines.has(resource);
      const lining = isThere ? undefined : this.#makeLine(own, resource);
      const making = own.multi([create]);
      const reading = own.link.children(paths.line(resource));
      const [creation, list, line] = await Promise.allSettled([making, reading, lining]);
      if (creation.status === 'rejected') {
        if (!isFault(creation.reason, 'NO_NODE') || tries === TRIES) throw errorOf(creation.reason);
        if (line.status === 'rejected') throw errorOf(line.reason);
        continue;
      }
      // The place is there, and is to be looked for.
      if (list.status === 'rejected') throw unanswered('the line could not be read', list.reason);
      this.#lines.add(resource);
      const { results, stamp } = creation.value;
      const place = this.#own(terms, results[0]!.path!, own, { data, version: 0 });
      const { names, stat } = list.value;
      const isUnchanged = stat.pzxid <= stamp;
      try {
        return { place, line: paths.places(resource, names), stamp: isUnchanged ? stamp : undefined };
      } catch (error) {
        // It is no lock that this line has, and nobody's place is to be in its way.
        await this.remove(place).catch(() => undefined);
        throw error;
      }
    }
  }

  async read(resource: string, session?: LineSession): Promise<readonly Place[]> {
    const { paths, sessions } = this.terms;
    const by = (session as ZooKeeperSession | undefined) ?? (await sessions.any());
    const catchingUp = by.catchUp();
    try {
      const [{ names }] = await Promise.all([by.link.children(paths.line(resource)), catchingUp]);
      return paths.places(resource, names);
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return [];
      throw error;
    }
  }

  confirm(places: readonly OwnPlace[]): Promise<readonly Standing[]> {
    return confirmAll(places, this.#writings);
  }

  async move(place: OwnPlace, terms: PlaceTerms, session: LineSession): Promise<OwnPlace | undefined> {
    const { paths } = this.terms;
    const own = session as ZooKeeperSession;
    this.#guards.end(place.at);
    const path = `${paths.stem(terms.resource, terms)}${rankOf(place.at)}`;
    for (let tries = 1; ; tries += 1) {
      const { data, version } = this.#writings.of(place);
      const steps: Step[] = [
        { kind: 'remove', path: place.at, version },
        { kind: 'create', path, data: encodeData(data), mode: 'ephemeral' },
      ];
      try {
        await own.multi(steps);
        return this.#own(terms, path, own, { data, version: 0 });
      } catch (error) {
        if (isFault(error, 'NO_NODE')) return undefined;
        if (!isFault(error, 'BAD_VERSION') || tries === TRIES) throw errorOf(error);
        if ((await this.#writings.reread(place, own)) === undefined) return undefined;
      }
    }
  }

  async skip(changes: number, session: LineSession): Promise<void> {
    await Promise.all(Array.from({ length: changes }, () => (session as ZooKeeperSession).touch()));
  }

  async remove(place: Place): Promise<boolean> {
    this.#guards.end(place.at);
    const { session } = place as Partial<OwnPlace>;
    // By the session that made it, after whatever that one was asked for before.
    const by = (session as ZooKeeperSession | undefined) ?? (await this.terms.sessions.any());
    try {
      await by.link.remove(place.at);
      return true;
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return false;
      throw error;
    }
  }

  whenGone(place: Place, wake: () => void): void {
    this.#watches.whenGone(place, wake);
  }

  guard(place: OwnPlace): void {
    this.#guards.begin(place);
  }

  async revoke(place: Place): Promise<boolean> {
    const { link } = await this.terms.sessions.any();
    return revokeAt(link, place.at);
  }

  note(place: OwnPlace, depth: number): void {
    this.#guards.note(place, async () => {
      const { link } = place.session as ZooKeeperSession;
      const { data, version } = this.#writings.of(place);
      const deeper = { ...data, depth };
      const stat = await link.write(place.at, encodeData(deeper), version);
      this.#writings.set(place, { data: deeper, version: stat.version });
    });
  }

  async details(resource: string): Promise<readonly PlaceDetails[]> {
    const session = await this.terms.sessions.any();
    const line = await this.read(resource, session);
    const all = await Promise.all(
      line.map(async (place): Promise<PlaceDetails | undefined> => {
        try {
          const { data } = await session.link.read(place.at);
          return { ...place, ...decodeData(data) };
        } catch (error) {
          if (isFault(error, 'NO_NODE')) return undefined;
          throw error;
        }
      }),
    );
    return all.filter((one) => one !== undefined);
  }

  forget(resource: string): void {
    this.#staysFor(resource);
    const { clock } = this.terms;
    const timer = clock.setTimer(() => {
      this.#idle.delete(resource);
      void this.#removeLine(resource);
    }, IDLE_MS);
    this.#idle.set(resource, timer);
  }

  async ping(): Promise<void> {
    await (await this.terms.sessions.any()).touch();
  }

  /** Watches of this session may have missed something. */
  suspended(session: ZooKeeperSession): void {
    this.#watches.forget(session);
  }

  async close(): Promise<void> {
    const idle = [...this.#idle];
    this.#idle.clear();
    for (const [, timer] of idle) this.terms.clock.clearTimer(timer);
    await Promise.all(idle.map(([resource]) => this.#removeLine(resource)));
    await this.terms.sessions.close();
  }

  #own(terms: PlaceTerms, at: string, session: ZooKeeperSession, written: Written): OwnPlace {
    const { resource, claimId, leaseMs } = terms;
    const { mode, units, capacity } = terms.shape;
    const place: OwnPlace = { resource, claimId, leaseMs, mode, units, capacity, at, session };
    this.#writings.set(place, written);
    return place;
  }

  async #makeLine({ link }: ZooKeeperSession, resource: string): Promise<void> {
    const { paths } = this.terms;
    const line = paths.line(resource);
    try {
      await createUnlessThere(link, line, 'container');
    } catch (error) {
      if (!isFault(error, 'NO_NODE')) throw error;
      for (const base of paths.bases) await createUnlessThere(link, base, 'persistent');
      await createUnlessThere(link, line, 'container');
    }
  }

  #staysFor(resource: string): void {
    const timer = this.#idle.get(resource);
    if (timer !== undefined) this.terms.clock.clearTimer(timer);
    this.#idle.delete(resource);
  }

  /** Somebody else's place keeps it, and so does a server that cannot be reached: an empty node is no harm. */
  async #removeLine(resource: string): Promise<void> {
    this.#lines.delete(resource);
    try {
      const { link } = await this.terms.sessions.any();
      await link.remove(this.terms.paths.line(resource));
    } catch {
      // The next one who leaves this line tries again.
    }
  }
}

/** A fault that nobody expects here: somebody removes nodes below the root. */
function errorOf(error: unknown): unknown {
  if (error instanceof NodeFault)
    return notDone('its nodes are changed by somebody else, again and again', error);
  return error;
}
