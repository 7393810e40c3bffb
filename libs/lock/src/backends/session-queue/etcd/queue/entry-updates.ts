import { Buffer } from 'node:buffer';
import type { ICompare, IKeyValue, IRequestOp } from 'etcd3';
import { encodeChangedEntry, entryFrom, revisionOf, type EtcdEntry } from './etcd-entry.js';
import type { EtcdSessionDeps } from '../session/etcd-session.js';
import { EtcdLeaseNotFoundError } from '../connection/failures.js';

/** Later changes to an entry: that it was revoked, and the depth of its holder. */
export class EntryUpdates {
  /** Depths that are to be written, by entry. */
  readonly #depths = new Map<string, number>();

  constructor(
    private readonly deps: EtcdSessionDeps,
    private readonly isOwn: (leaseId: string) => boolean,
  ) {}

  /** False when the entry is gone. @throws BackendUnavailableError */
  revoke(entry: EtcdEntry): Promise<boolean> {
    return this.#update(entry, { revoked: true });
  }

  /** Writes the latest depth, one at a time. `SerialExecutor` would write every depth. Never throws. */
  recordDepth(entry: EtcdEntry, depth: number): void {
    const isWriting = this.#depths.has(entry.location);
    this.#depths.set(entry.location, depth);
    if (!isWriting) void this.#writeDepths(entry);
  }

  /** Runs a change with a note for the process that the entry belongs to, if that is another one and still alive. */
  async notifyingOwner(
    { leaseId, resource }: EtcdEntry,
    change: (note: readonly IRequestOp[]) => Promise<boolean>,
  ): Promise<boolean> {
    if (this.isOwn(leaseId)) return change([]);
    const put = { key: this.deps.keys.note(leaseId), value: Buffer.from(resource), lease: leaseId };
    try {
      return await change([{ request_put: put }]);
    } catch (error) {
      if (error instanceof EtcdLeaseNotFoundError) return change([]);
      throw error;
    }
  }

  /** Writes another value for an entry as long as it is there, whatever else changes it meanwhile. */
  async #update(
    entry: EtcdEntry,
    change: { readonly depth: number } | { readonly revoked: true },
  ): Promise<boolean> {
    const { link } = this.deps;
    const deadline = link.deadline();
    for (;;) {
      const { header, kvs } = await link.range({ key: entry.key }, deadline);
      const [kv] = kvs;
      const current = currentEntry(entry, kv, revisionOf(header));
      if (current === undefined || kv === undefined) return false;
      const value = encodeChangedEntry(entry.resource, kv.value, change);
      const put = { request_put: { key: entry.key, value, ignore_lease: true } };
      const isDone = await this.notifyingOwner(current, async (note) => {
        const request = { compare: [compareModRevision(current)], success: [put, ...note] };
        return (await link.txn(request, deadline)).succeeded;
      });
      if (isDone) return true;
    }
  }

  async #writeDepths(entry: EtcdEntry): Promise<void> {
    const { location } = entry;
    for (let depth = this.#depths.get(location)!; ; depth = this.#depths.get(location)!) {
      await this.#update(entry, { depth }).catch(() => undefined);
      if (this.#depths.get(location) === depth) break;
    }
    this.#depths.delete(location);
  }
}

/** It is the entry that is meant, whatever has changed in it. */
export function compareCreateRevision({ key, createRevision }: EtcdEntry): ICompare {
  return { key, target: 'Create', result: 'Equal', create_revision: createRevision };
}

/** Nothing has changed it since it was read. */
export function compareModRevision({ key, modRevision }: EtcdEntry): ICompare {
  return { key, target: 'Mod', result: 'Equal', mod_revision: modRevision };
}

/** The entry as it is now; undefined when it is gone, also when another one was made under its key. */
export function currentEntry(
  entry: EtcdEntry,
  kv: IKeyValue | undefined,
  readRevision: number,
): EtcdEntry | undefined {
  return kv?.create_revision === entry.createRevision
    ? entryFrom(entry.resource, kv, readRevision)
    : undefined;
}
