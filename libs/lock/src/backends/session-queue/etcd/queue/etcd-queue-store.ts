import type { IRequestOp } from 'etcd3';
import type { ProcessView } from '../../../../core/claim.js';
import type { ListRequest } from '../../../../core/ports/admin.js';
import type { Unsubscribe } from '../../../../core/ports/ports.js';
import type {
  EnqueueResult,
  QueueStoreListener,
  QueueStore,
  OwnEntry,
  QueueEntry,
  EnqueueRequest,
  EntryStatus,
} from '../../queue-store.js';
import type { NamesPage } from '../../../kit/named-admin.js';
import { EtcdDeletionWatches } from './deletion-watches.js';
import { EnqueueBatcher } from './enqueue-batcher.js';
import { queueFrom, encodeEntry, entryFrom, revisionOf, type EtcdEntry } from './etcd-entry.js';
import type { EtcdSession, EtcdSessionDeps } from '../session/etcd-session.js';
import { EtcdSessions } from '../session/etcd-sessions.js';
import { EtcdWatches } from './etcd-watches.js';
import { compareModRevision, compareCreateRevision, EntryUpdates, currentEntry } from './entry-updates.js';
import { ReadCoalescer } from './read-coalescer.js';
import { DeleteBatcher } from './delete-batcher.js';

/** Entries in one transaction: etcd allows 128 operations. */
const MAX_ENTRIES = 100;

/** An entry of this process, as this store makes it. */
export interface EtcdOwnEntry extends EtcdEntry {
  readonly session: EtcdSession;
}

export interface EtcdStoreDeps extends EtcdSessionDeps {
  readonly maxLeaseMs: number;
  /** This process, as the holder of its entries. */
  readonly process: ProcessView;
}

/**
 * Queues in etcd: a key for each entry, attached to the lease of its session, ranked by the change
 * that made it. A claim is one transaction, which puts the key and reads the queue.
 */
export class EtcdQueueStore implements QueueStore {
  readonly #sessions: EtcdSessions;
  readonly #watches: EtcdWatches;
  readonly #deletions: EtcdDeletionWatches;
  readonly #updates: EntryUpdates;
  readonly #enqueueBatcher: EnqueueBatcher;
  readonly #deleteBatcher: DeleteBatcher;
  readonly #readCoalescer: ReadCoalescer;
  readonly #subscriptions = new Map<EtcdSession, Unsubscribe>();

  constructor(
    private readonly deps: EtcdStoreDeps,
    private readonly listener: QueueStoreListener,
  ) {
    const { link, clock, maxLeaseMs } = deps;
    this.#watches = new EtcdWatches(link, clock, () => listener.reconnected());
    this.#deletions = new EtcdDeletionWatches(this.#watches);
    this.#updates = new EntryUpdates(deps, (leaseId) => this.#sessions.has(leaseId));
    this.#enqueueBatcher = new EnqueueBatcher(deps, deps.process);
    this.#deleteBatcher = new DeleteBatcher(deps);
    this.#readCoalescer = new ReadCoalescer(deps);
    this.#sessions = new EtcdSessions(
      deps,
      maxLeaseMs,
      (session) => this.#subscribe(session),
      (session) => this.#sessionLost(session),
    );
  }

  session(leaseMs: number): Promise<EtcdSession> {
    return this.#sessions.for(leaseMs);
  }

  enqueue(request: EnqueueRequest, session: EtcdSession): Promise<EnqueueResult> {
    return this.#enqueueBatcher.enqueue(request, session);
  }

  async read(resource: string, session?: EtcdSession): Promise<readonly EtcdEntry[]> {
    if (session?.hasUnansweredRequests !== true || session.isLost) return this.#readCoalescer.read(resource);
    const { link, keys } = this.deps;
    const range = { request_range: keys.queue(resource) };
    const { header, responses } = await session.raiseNumber([range], link.deadline());
    return queueFrom(resource, responses[0]!.response_range.kvs, revisionOf(header));
  }

  async confirm(entries: readonly OwnEntry[]): Promise<readonly EntryStatus[]> {
    const statuses: EntryStatus[] = [];
    const asked = (entries as readonly EtcdOwnEntry[]).map((entry, at) => ({ entry, at }));
    const batches = Array.from(new Set(asked.map(({ entry }) => entry.session)), (session) => {
      const own = asked.filter(({ entry }) => entry.session === session);
      return Array.from({ length: Math.ceil(own.length / MAX_ENTRIES) }, async (_, i) => {
        const some = own.slice(i * MAX_ENTRIES, (i + 1) * MAX_ENTRIES);
        const found = await this.#confirm(
          session,
          some.map(({ entry }) => entry),
        );
        for (const [i, { at }] of some.entries()) statuses[at] = found[i]!;
      });
    });
    await Promise.all(batches.flat());
    return statuses;
  }

  async replace(
    entry: OwnEntry,
    request: EnqueueRequest,
    session: EtcdSession,
  ): Promise<EtcdOwnEntry | undefined> {
    const { link, keys, process } = this.deps;
    const { resource, claimId } = request;
    const deadline = link.deadline();
    let from: EtcdEntry | undefined = entry as EtcdOwnEntry;
    while (from !== undefined) {
      const key = keys.newEntry(resource, claimId);
      const carried = from.claimId === claimId ? { depth: from.depth, revoked: from.revoked } : {};
      const value = encodeEntry(request, process, { rank: from.rank, turn: from.turn, ...carried });
      const reply = await session.fencedTxn(
        {
          compare: [compareModRevision(from)],
          success: [
            { request_delete_range: { key: from.key } },
            { request_put: { key, value, lease: session.leaseId } },
          ],
          failure: [{ request_range: { key: from.key } }],
        },
        deadline,
      );
      const readRevision = revisionOf(reply.header);
      if (reply.succeeded) {
        const [create_revision, lease] = [reply.header.revision, session.leaseId];
        const kv = { key, value, create_revision, mod_revision: create_revision, version: '1', lease };
        return { ...entryFrom(resource, kv, readRevision), session };
      }
      from = currentEntry(from, reply.responses[0]?.response_range.kvs[0], readRevision);
    }
    return undefined;
  }

  async advanceRevision(changes: number, session: EtcdSession): Promise<void> {
    const deadline = this.deps.link.deadline();
    const each = Array.from({ length: changes }, () =>
      session.fencedTxn({ success: [session.touchOp] }, deadline, true),
    );
    await Promise.all(each);
  }

  async remove(entry: QueueEntry): Promise<boolean> {
    const target = entry as EtcdEntry;
    if (this.#sessions.has(target.leaseId)) return this.#deleteBatcher.remove(target);
    const { link } = this.deps;
    return this.#updates.notifyingOwner(target, async (note) => {
      const request = {
        compare: [compareCreateRevision(target)],
        success: [{ request_delete_range: { key: target.key } }, ...note],
      };
      return (await link.txn(request, link.deadline())).succeeded;
    });
  }

  onDeleted(entry: QueueEntry, wake: () => void): void {
    this.#deletions.onDeleted(entry as EtcdEntry, wake);
  }

  /** A process that changes another's entry leaves a note for it, so only notes have to be watched. */
  watchOwn(): void {}

  revoke(entry: QueueEntry): Promise<boolean> {
    return this.#updates.revoke(entry as EtcdEntry);
  }

  recordDepth(entry: OwnEntry, depth: number): void {
    this.#updates.recordDepth(entry as EtcdOwnEntry, depth);
  }

  async details(resource: string): Promise<readonly EtcdEntry[]> {
    return this.read(resource);
  }

  async names({ prefix, limit, cursor }: ListRequest): Promise<NamesPage> {
    const { link, keys } = this.deps;
    const range = { ...keys.queues(prefix, cursor), limit, keys_only: true };
    const { kvs } = await link.range(range, link.deadline());
    const names = [...new Set(kvs.map(({ key }) => keys.resourceOf(key)))];
    return { names, cursor: kvs.length < limit ? undefined : names.at(-1) };
  }

  /** A queue without entries has no keys. */
  releaseQueue(): void {}

  /** What was asked before it is answered before it, as on one connection. */
  async ping(): Promise<void> {
    const { link, keys } = this.deps;
    const asked = link.range({ key: keys.session('0'), count_only: true }, link.deadline());
    await Promise.all([asked, this.#enqueueBatcher.whenSettled()]);
  }

  async close(): Promise<void> {
    this.#watches.close();
    await this.#sessions.close();
    this.deps.link.close();
  }

  async #confirm(session: EtcdSession, entries: readonly EtcdOwnEntry[]): Promise<readonly EntryStatus[]> {
    const deadline = this.deps.link.deadline();
    const reads = entries.map(({ key }): IRequestOp => ({ request_range: { key } }));
    try {
      const { answer, isCovered, failure } = await session.withKeepAlive(session.maxLeaseMs, deadline, () =>
        session.fencedTxn({ success: [session.touchOp, ...reads] }, deadline, true),
      );
      const revision = revisionOf(answer.header);
      return entries.map((entry, i): EntryStatus => {
        const kv = answer.responses[i + 1]!.response_range.kvs[0];
        const current = currentEntry(entry, kv, revision);
        if (current === undefined || current.leaseId !== session.leaseId) return { kind: 'gone' };
        if (current.revoked) return { kind: 'revoked' };
        return isCovered ? { kind: 'present', revision } : { kind: 'unknown', cause: failure };
      });
    } catch (cause) {
      return entries.map(() => (session.isLost ? { kind: 'gone' } : { kind: 'unknown', cause }));
    }
  }

  /** Listens for the end of a session, and for changes that others make to its entries. */
  #subscribe(session: EtcdSession): void {
    const { leaseId, openedAtRevision: from } = session;
    const stops = [
      this.#watches.add({
        key: session.key,
        startRevision: from,
        deleteOnly: true,
        onEvent: (event) => event !== undefined && session.end(),
      }),
      this.#watches.add({
        key: this.deps.keys.note(leaseId),
        startRevision: from,
        deleteOnly: false,
        onEvent: (event) => {
          if (event === undefined) this.listener.reconnected();
          else if (event.type === 'Put') this.listener.entryChanged(event.kv.value.toString());
        },
      }),
    ];
    this.#subscriptions.set(session, () => stops.forEach((stop) => stop()));
  }

  #sessionLost(session: EtcdSession): void {
    this.#subscriptions.get(session)?.();
    this.#subscriptions.delete(session);
    this.listener.sessionLost(session);
  }
}
