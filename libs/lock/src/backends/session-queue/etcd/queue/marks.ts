import { Buffer } from 'node:buffer';
import type { ICompare, IKeyValue, IRequestOp } from 'etcd3';
import { changedWriting, placeOf, revisionOf, type EtcdPlace } from './etcd-place.js';
import type { SessionGround } from '../session/etcd-session.js';
import { LeaseGone } from '../connection/failures.js';

/** What is written on a place later on: that it was revoked, and how deep its holder is in. */
export class Marks {
  /** Depths that are to be written, by place. */
  readonly #depths = new Map<string, number>();

  constructor(
    private readonly ground: SessionGround,
    private readonly isOwn: (leaseId: string) => boolean,
  ) {}

  /** False when the place is gone. @throws BackendUnavailableError */
  revoke(place: EtcdPlace): Promise<boolean> {
    return this.#change(place, { revoked: true });
  }

  /** Writes the last depth that was told, one at a time. Never throws. */
  note(place: EtcdPlace, depth: number): void {
    const isWriting = this.#depths.has(place.at);
    this.#depths.set(place.at, depth);
    if (!isWriting) void this.#writeDepths(place);
  }

  /** Runs a change with a note for the process that the place belongs to, if that is another one and still alive. */
  async tellingOwner(
    { leaseId, resource }: EtcdPlace,
    change: (note: readonly IRequestOp[]) => Promise<boolean>,
  ): Promise<boolean> {
    if (this.isOwn(leaseId)) return change([]);
    const put = { key: this.ground.keys.note(leaseId), value: Buffer.from(resource), lease: leaseId };
    try {
      return await change([{ request_put: put }]);
    } catch (error) {
      if (error instanceof LeaseGone) return change([]);
      throw error;
    }
  }

  /** Writes another value for a place as long as it is there, whatever else changes it meanwhile. */
  async #change(
    place: EtcdPlace,
    change: { readonly depth: number } | { readonly revoked: true },
  ): Promise<boolean> {
    const { link } = this.ground;
    const until = link.deadline();
    for (;;) {
      const { header, kvs } = await link.range({ key: place.key }, until);
      const [kv] = kvs;
      const now = sameAs(place, kv, revisionOf(header));
      if (now === undefined || kv === undefined) return false;
      const value = changedWriting(place.resource, kv.value, change);
      const put = { request_put: { key: place.key, value, ignore_lease: true } };
      const isDone = await this.tellingOwner(now, async (note) => {
        const request = { compare: [isAsRead(now)], success: [put, ...note] };
        return (await link.txn(request, until)).succeeded;
      });
      if (isDone) return true;
    }
  }

  async #writeDepths(place: EtcdPlace): Promise<void> {
    const { at } = place;
    for (let depth = this.#depths.get(at)!; ; depth = this.#depths.get(at)!) {
      await this.#change(place, { depth }).catch(() => undefined);
      if (this.#depths.get(at) === depth) break;
    }
    this.#depths.delete(at);
  }
}

/** It is the place that is meant, whatever has changed in it. */
export function isSame({ key, created }: EtcdPlace): ICompare {
  return { key, target: 'Create', result: 'Equal', create_revision: created };
}

/** Nothing has changed it since it was read. */
export function isAsRead({ key, modified }: EtcdPlace): ICompare {
  return { key, target: 'Mod', result: 'Equal', mod_revision: modified };
}

/** The place as it is now; undefined when it is gone, also when another one was made under its key. */
export function sameAs(place: EtcdPlace, kv: IKeyValue | undefined, seen: number): EtcdPlace | undefined {
  return kv?.create_revision === place.created ? placeOf(place.resource, kv, seen) : undefined;
}
