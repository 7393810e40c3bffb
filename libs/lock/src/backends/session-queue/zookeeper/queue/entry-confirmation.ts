import type { ProcessView } from '../../../../core/claim.js';
import type { OwnEntry, EntryStatus } from '../../queue-store.js';
import { isFault, type TransactionStep, type ZooKeeperLink } from '../connection/link.js';
import { decodeEntryData, encodeEntryData, type EntryData } from './entry-data.js';
import type { ZooKeeperSession } from '../session/zookeeper-session.js';

/** Entries that are confirmed by one transaction: a server takes 1 MB at most. */
const ENTRIES_PER_CALL = 128;
/** Tries for an entry that another process changes at the same time. */
const TRIES = 5;

/** What an entry of this process has as its data. */
export interface VersionedData {
  readonly data: EntryData;
  readonly version: number;
}

/** What was written to the entries of this process last, as far as is known here: others may revoke them. */
export class EntryDataCache {
  readonly #written = new WeakMap<OwnEntry, VersionedData>();

  constructor(private readonly process: ProcessView) {}

  /** An entry that was found again counts as just made: where it is not, its version tells. */
  get(entry: OwnEntry): VersionedData {
    const data: EntryData = { depth: 1, revoked: false, process: this.process };
    return this.#written.get(entry) ?? { data, version: 0 };
  }

  set(entry: OwnEntry, written: VersionedData): void {
    this.#written.set(entry, written);
  }

  /** Looks at it anew; undefined when it is gone. */
  async reread(entry: OwnEntry, { link }: ZooKeeperSession): Promise<EntryData | undefined> {
    try {
      const { data, stat } = await link.read(entry.location);
      const decoded = decodeEntryData(data);
      this.set(entry, { data: decoded, version: stat.version });
      return decoded;
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }
}

/** Which entries are still there, in their order; one transaction for each session and 128 entries. Never rejects. */
export async function confirmEntries(
  entries: readonly OwnEntry[],
  dataCache: EntryDataCache,
): Promise<readonly EntryStatus[]> {
  const statuses: EntryStatus[] = entries.map(() => ({ kind: 'unknown' }));
  const batches: { readonly session: ZooKeeperSession; readonly items: number[] }[] = [];
  for (const [i, { session }] of entries.entries()) {
    const open = batches.findLast((batch) => batch.session === session);
    if (open !== undefined && open.items.length < ENTRIES_PER_CALL) open.items.push(i);
    else batches.push({ session: session as ZooKeeperSession, items: [i] });
  }
  const confirmBatch = async ({ session, items }: (typeof batches)[number]): Promise<void> => {
    const own = items.map((i) => entries[i]!);
    for (const [i, answer] of (await confirmInSession(session, own, dataCache)).entries())
      statuses[items[i]!] = answer;
  };
  await Promise.all(batches.map(confirmBatch));
  return statuses;
}

async function confirmInSession(
  session: ZooKeeperSession,
  entries: readonly OwnEntry[],
  dataCache: EntryDataCache,
): Promise<EntryStatus[]> {
  if (session.isLost) return entries.map(() => ({ kind: 'gone' }));
  const checks = entries.map((entry): TransactionStep => ({
    kind: 'check',
    path: entry.location,
    version: dataCache.get(entry).version,
  }));
  try {
    const { revision } = await session.multi(checks);
    // What was read before may have said so already.
    return entries.map((entry) =>
      dataCache.get(entry).data.revoked ? { kind: 'revoked' } : { kind: 'present', revision },
    );
  } catch (error) {
    if (!isFault(error, 'NO_NODE') && !isFault(error, 'BAD_VERSION'))
      return entries.map(() => ({ kind: 'unknown', cause: error }));
  }
  // At least one entry has changed: each is read again. A change of our own comes first, so that no
  // read is older.
  const touching = session.touch();
  const looking = entries.map((entry) => dataCache.reread(entry, session));
  const [touched, ...looks] = await Promise.allSettled([touching, ...looking]);
  return looks.map((look): EntryStatus => {
    if (touched.status === 'rejected') return { kind: 'unknown', cause: touched.reason };
    if (look.status === 'rejected') return { kind: 'unknown', cause: look.reason };
    if (look.value === undefined) return { kind: 'gone' };
    return look.value.revoked ? { kind: 'revoked' } : { kind: 'present', revision: touched.value.mzxid };
  });
}

/** Writes down that an entry is revoked, whatever else it says. False when it is gone. */
export async function revokeAt(link: ZooKeeperLink, location: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { data, stat } = await link.read(location);
      await link.write(location, encodeEntryData({ ...decodeEntryData(data), revoked: true }), stat.version);
      return true;
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return false;
      if (!isFault(error, 'BAD_VERSION') || tries === TRIES) throw error;
    }
  }
}
