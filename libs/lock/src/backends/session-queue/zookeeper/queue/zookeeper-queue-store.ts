import type { ProcessView } from '../../../../core/claim.js';
import type { Clock, Timer } from '../../../../core/clock.js';
import type { ListRequest } from '../../../../core/ports/admin.js';
import { namesPageOf, type NamesPage } from '../../../kit/named-admin.js';
import type {
  EnqueueResult,
  QueueSession,
  QueueStore,
  OwnEntry,
  QueueEntry,
  EntryDetails,
  EnqueueRequest,
  EntryStatus,
} from '../../queue-store.js';
import { notExecuted, noAnswer } from '../connection/failures.js';
import { readNames } from './read-names.js';
import { OwnEntryWatches } from './own-entry-watches.js';
import { isFault, NodeFault, type TransactionStep } from '../connection/link.js';
import type { ZooKeeperPaths } from '../session/zookeeper-paths.js';
import { rankOf } from '../session/zookeeper-paths.js';
import { decodeEntryData, encodeEntryData, type EntryData } from './entry-data.js';
import { confirmEntries, revokeAt, EntryDataCache, type VersionedData } from './entry-confirmation.js';
import { ZooKeeperDeletionWatches } from './deletion-watches.js';
import { createIfMissing, type ZooKeeperSession } from '../session/zookeeper-session.js';
import type { ZooKeeperSessions } from '../session/zookeeper-sessions.js';

/**
 * A queue is removed so long after its last entry has left, in ms: busy locks keep theirs. The
 * server removes what those leave behind who die, since a queue is a container: at its leisure,
 * which is a minute.
 */
const IDLE_MS = 200;
/**
 * A request that meets a change of others at this very moment is repeated. More often than this is
 * no coincidence.
 */
const TRIES = 5;

export interface ZooKeeperStoreDeps {
  readonly paths: ZooKeeperPaths;
  readonly sessions: ZooKeeperSessions;
  readonly clock: Clock;
  readonly process: ProcessView;
  readonly onEntryChanged: (resource: string) => void;
}

/** A queue is a container, and its entries are ephemeral sequential children of it, told by their names alone. */
export class ZooKeeperQueueStore implements QueueStore {
  readonly #entryData: EntryDataCache;
  readonly #deletions: ZooKeeperDeletionWatches;
  readonly #ownWatches: OwnEntryWatches;
  readonly #idle = new Map<string, Timer>();
  /** Queues that this process uses: they exist, unless another process has removed them. */
  readonly #knownQueues = new Set<string>();
  /** What the pages of a list are taken from. */
  #listedNames: readonly string[] | undefined;

  constructor(private readonly deps: ZooKeeperStoreDeps) {
    this.#entryData = new EntryDataCache(deps.process);
    this.#deletions = new ZooKeeperDeletionWatches(() => deps.sessions.any());
    this.#ownWatches = new OwnEntryWatches(deps.onEntryChanged);
  }

  session(leaseMs: number): Promise<QueueSession> {
    return this.deps.sessions.get(leaseMs);
  }

  async enqueue(request: EnqueueRequest, session: QueueSession): Promise<EnqueueResult> {
    const { paths } = this.deps;
    const { resource } = request;
    const own = session as ZooKeeperSession;
    this.#keepQueue(resource);
    const data: EntryData = { depth: 1, revoked: false, process: this.deps.process };
    const create: TransactionStep = {
      kind: 'create',
      path: paths.entryPrefix(resource, request),
      data: encodeEntryData(data),
      mode: 'ephemeralSequential',
    };
    for (let tries = 1; ; tries += 1) {
      // If the queue may be missing, the same round trip creates it and the entry.
      const isThere = tries === 1 && this.#knownQueues.has(resource);
      const creatingQueue = isThere ? undefined : this.#createQueue(own, resource);
      const creating = own.multi([create]);
      const reading = own.link.children(paths.queue(resource));
      const [creation, list, queue] = await Promise.allSettled([creating, reading, creatingQueue]);
      if (creation.status === 'rejected') {
        if (!isFault(creation.reason, 'NO_NODE') || tries === TRIES) throw backendErrorFrom(creation.reason);
        if (queue.status === 'rejected') throw backendErrorFrom(queue.reason);
        continue;
      }
      // The entry is there, and is to be looked for.
      if (list.status === 'rejected') throw noAnswer('the line could not be read', list.reason);
      this.#knownQueues.add(resource);
      const { results, revision } = creation.value;
      const entry = this.#ownEntry(request, results[0]!.path!, own, { data, version: 0 });
      const { names, stat } = list.value;
      const isUnchanged = stat.pzxid <= revision;
      try {
        return { entry, queue: paths.entries(resource, names), revision: isUnchanged ? revision : undefined };
      } catch (error) {
        // This queue is not one of a lock, so our entry must not be in its way.
        await this.remove(entry).catch(() => undefined);
        throw error;
      }
    }
  }

  async read(resource: string, session?: QueueSession): Promise<readonly QueueEntry[]> {
    const { paths, sessions } = this.deps;
    const via = (session as ZooKeeperSession | undefined) ?? (await sessions.any());
    const catchingUp = via.catchUp();
    try {
      const [{ names }] = await Promise.all([via.link.children(paths.queue(resource)), catchingUp]);
      return paths.entries(resource, names);
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return [];
      throw error;
    }
  }

  confirm(entries: readonly OwnEntry[]): Promise<readonly EntryStatus[]> {
    return confirmEntries(entries, this.#entryData);
  }

  async replace(
    entry: OwnEntry,
    request: EnqueueRequest,
    session: QueueSession,
  ): Promise<OwnEntry | undefined> {
    const { paths } = this.deps;
    const own = session as ZooKeeperSession;
    this.#ownWatches.remove(entry.location);
    const path = `${paths.entryPrefix(request.resource, request)}${rankOf(entry.location)}`;
    for (let tries = 1; ; tries += 1) {
      const { data, version } = this.#entryData.get(entry);
      const steps: TransactionStep[] = [
        { kind: 'remove', path: entry.location, version },
        { kind: 'create', path, data: encodeEntryData(data), mode: 'ephemeral' },
      ];
      try {
        await own.multi(steps);
        return this.#ownEntry(request, path, own, { data, version: 0 });
      } catch (error) {
        if (isFault(error, 'NO_NODE')) return undefined;
        if (!isFault(error, 'BAD_VERSION') || tries === TRIES) throw backendErrorFrom(error);
        if ((await this.#entryData.reread(entry, own)) === undefined) return undefined;
      }
    }
  }

  async advanceRevision(changes: number, session: QueueSession): Promise<void> {
    await Promise.all(Array.from({ length: changes }, () => (session as ZooKeeperSession).touch()));
  }

  async remove(entry: QueueEntry): Promise<boolean> {
    this.#ownWatches.remove(entry.location);
    const { session } = entry as Partial<OwnEntry>;
    // By the session that made it, after whatever that one was asked for before.
    const via = (session as ZooKeeperSession | undefined) ?? (await this.deps.sessions.any());
    try {
      await via.link.remove(entry.location);
      return true;
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return false;
      throw error;
    }
  }

  onDeleted(entry: QueueEntry, wake: () => void): void {
    this.#deletions.onDeleted(entry, wake);
  }

  watchOwn(entry: OwnEntry): void {
    this.#ownWatches.add(entry);
  }

  async revoke(entry: QueueEntry): Promise<boolean> {
    const { link } = await this.deps.sessions.any();
    return revokeAt(link, entry.location);
  }

  recordDepth(entry: OwnEntry, depth: number): void {
    this.#ownWatches.write(entry, async () => {
      const { link } = entry.session as ZooKeeperSession;
      const { data, version } = this.#entryData.get(entry);
      const deeper = { ...data, depth };
      const stat = await link.write(entry.location, encodeEntryData(deeper), version);
      this.#entryData.set(entry, { data: deeper, version: stat.version });
    });
  }

  async details(resource: string): Promise<readonly EntryDetails[]> {
    const session = await this.deps.sessions.any();
    const queue = await this.read(resource, session);
    const all = await Promise.all(
      queue.map(async (entry): Promise<EntryDetails | undefined> => {
        try {
          const { data } = await session.link.read(entry.location);
          return { ...entry, ...decodeEntryData(data) };
        } catch (error) {
          if (isFault(error, 'NO_NODE')) return undefined;
          throw error;
        }
      }),
    );
    return all.filter((one) => one !== undefined);
  }

  /** Reads all names for the first page, since the server has no pages. @throws UnsupportedByBackendError for too many */
  async names(request: ListRequest): Promise<NamesPage> {
    const isFirst = request.cursor === undefined;
    const names = (isFirst ? undefined : this.#listedNames) ?? (await readNames(this.deps));
    const page = namesPageOf(names, request);
    this.#listedNames = page.cursor === undefined ? undefined : names;
    return page;
  }

  releaseQueue(resource: string): void {
    this.#keepQueue(resource);
    const { clock } = this.deps;
    const timer = clock.setTimer(() => {
      this.#idle.delete(resource);
      void this.#removeQueue(resource);
    }, IDLE_MS);
    this.#idle.set(resource, timer);
  }

  async ping(): Promise<void> {
    await (await this.deps.sessions.any()).touch();
  }

  /** Watches of this session may have missed something. */
  sessionSuspended(session: ZooKeeperSession): void {
    this.#deletions.dropSession(session);
  }

  async close(): Promise<void> {
    const idle = [...this.#idle];
    this.#idle.clear();
    for (const [, timer] of idle) this.deps.clock.clearTimer(timer);
    await Promise.all(idle.map(([resource]) => this.#removeQueue(resource)));
    await this.deps.sessions.close();
  }

  #ownEntry(
    request: EnqueueRequest,
    location: string,
    session: ZooKeeperSession,
    written: VersionedData,
  ): OwnEntry {
    const { resource, claimId, leaseMs } = request;
    const { mode, units, capacity } = request.shape;
    const entry: OwnEntry = { resource, claimId, leaseMs, mode, units, capacity, location, session };
    this.#entryData.set(entry, written);
    return entry;
  }

  async #createQueue({ link }: ZooKeeperSession, resource: string): Promise<void> {
    const { paths } = this.deps;
    const queue = paths.queue(resource);
    try {
      await createIfMissing(link, queue, 'container');
    } catch (error) {
      if (!isFault(error, 'NO_NODE')) throw error;
      for (const base of paths.bases) await createIfMissing(link, base, 'persistent');
      await createIfMissing(link, queue, 'container');
    }
  }

  #keepQueue(resource: string): void {
    const timer = this.#idle.get(resource);
    if (timer !== undefined) this.deps.clock.clearTimer(timer);
    this.#idle.delete(resource);
  }

  /**
   * An entry of another process keeps it, as does a server that cannot be reached: an empty node
   * does no harm.
   */
  async #removeQueue(resource: string): Promise<void> {
    this.#knownQueues.delete(resource);
    try {
      const { link } = await this.deps.sessions.any();
      await link.remove(this.deps.paths.queue(resource));
    } catch {
      // The next one who leaves this queue tries again.
    }
  }
}

/** An unexpected fault: another client removes nodes below the root. */
function backendErrorFrom(error: unknown): unknown {
  if (error instanceof NodeFault) return notExecuted('other clients keep changing its nodes', error);
  return error;
}
