import type { ProcessView } from '../../../../core/claim.js';
import type { OwnPlace, Standing } from '../../line-store.js';
import { isFault, type Step, type ZooKeeperLink } from '../connection/link.js';
import { decodeData, encodeData, type PlaceData } from './place-data.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';

/** Places that are confirmed by one transaction: a server takes 1 MB at most. */
const PLACES_PER_CALL = 128;
/** A place that somebody else changes at the same time is tried again so often. */
const TRIES = 5;

/** What a place of this process has as its data. */
export interface Written {
  readonly data: PlaceData;
  readonly version: number;
}

/** What was written to the places of this process last, as far as is known here: others may revoke them. */
export class Writings {
  readonly #written = new WeakMap<OwnPlace, Written>();

  constructor(private readonly process: ProcessView) {}

  /** A place that was found again counts as just made: where it is not, its version tells. */
  of(place: OwnPlace): Written {
    const data: PlaceData = { depth: 1, revoked: false, process: this.process };
    return this.#written.get(place) ?? { data, version: 0 };
  }

  set(place: OwnPlace, written: Written): void {
    this.#written.set(place, written);
  }

  /** Looks at it anew; undefined when it is gone. */
  async reread(place: OwnPlace, { link }: ZooKeeperSession): Promise<PlaceData | undefined> {
    try {
      const { data, stat } = await link.read(place.at);
      const decoded = decodeData(data);
      this.set(place, { data: decoded, version: stat.version });
      return decoded;
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }
}

/** Which places stand, in their order; one transaction for each session and 128 places. Never rejects. */
export async function confirmAll(
  places: readonly OwnPlace[],
  writings: Writings,
): Promise<readonly Standing[]> {
  const standings: Standing[] = places.map(() => ({ kind: 'unknown' }));
  const batches: { readonly session: ZooKeeperSession; readonly items: number[] }[] = [];
  for (const [i, { session }] of places.entries()) {
    const open = batches.findLast((batch) => batch.session === session);
    if (open !== undefined && open.items.length < PLACES_PER_CALL) open.items.push(i);
    else batches.push({ session: session as ZooKeeperSession, items: [i] });
  }
  const confirmBatch = async ({ session, items }: (typeof batches)[number]): Promise<void> => {
    const own = items.map((i) => places[i]!);
    for (const [i, answer] of (await confirm(session, own, writings)).entries())
      standings[items[i]!] = answer;
  };
  await Promise.all(batches.map(confirmBatch));
  return standings;
}

async function confirm(
  session: ZooKeeperSession,
  places: readonly OwnPlace[],
  writings: Writings,
): Promise<Standing[]> {
  if (session.isLost) return places.map(() => ({ kind: 'gone' }));
  const checks = places.map((place): Step => ({
    kind: 'check',
    path: place.at,
    version: writings.of(place).version,
  }));
  try {
    const { stamp } = await session.multi(checks);
    // What was read before may have said so already.
    return places.map((place) =>
      writings.of(place).data.revoked ? { kind: 'revoked' } : { kind: 'there', stamp },
    );
  } catch (error) {
    if (!isFault(error, 'NO_NODE') && !isFault(error, 'BAD_VERSION'))
      return places.map(() => ({ kind: 'unknown' }));
  }
  // One of them is not as it was: each is looked at, after a change of our own, so that what is read is not older.
  const touching = session.touch();
  const looking = places.map((place) => writings.reread(place, session));
  const [touched, ...looks] = await Promise.allSettled([touching, ...looking]);
  return looks.map((look): Standing => {
    if (touched.status === 'rejected' || look.status === 'rejected') return { kind: 'unknown' };
    if (look.value === undefined) return { kind: 'gone' };
    return look.value.revoked ? { kind: 'revoked' } : { kind: 'there', stamp: touched.value.mzxid };
  });
}

/** Writes down that a place is revoked, whatever else it says. False when it is gone. */
export async function revokeAt(link: ZooKeeperLink, at: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { data, stat } = await link.read(at);
      await link.write(at, encodeData({ ...decodeData(data), revoked: true }), stat.version);
      return true;
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return false;
      if (!isFault(error, 'BAD_VERSION') || tries === TRIES) throw error;
    }
  }
}
