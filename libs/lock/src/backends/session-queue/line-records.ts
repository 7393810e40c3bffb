import type { ClaimRef } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { RecentIds } from '../../runtime/recent-ids.js';
import { LineRecord } from './line-record.js';
import type { Place } from './line-store.js';

/** A withdrawn id is remembered this long, in ms: far longer than a request of it may be under way. */
const WITHDRAWN_MS = 60_000;

/** The claims of this process that have, or may have, a place in a line. */
export class LineRecords {
  readonly #byId = new Map<string, LineRecord>();
  readonly #byResource = new Map<string, Set<LineRecord>>();
  readonly #withdrawn: RecentIds;

  constructor(clock: Clock) {
    this.#withdrawn = new RecentIds(clock, WITHDRAWN_MS);
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): LineRecord | undefined {
    return this.#byId.get(id);
  }

  all(): LineRecord[] {
    return [...this.#byId.values()];
  }

  of(resource: string): Iterable<LineRecord> {
    return this.#byResource.get(resource) ?? [];
  }

  obtain({ id, resource, shape }: ClaimRef): LineRecord {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const record = new LineRecord({ id, resource, shape });
    this.#byId.set(id, record);
    const peers = this.#byResource.get(resource) ?? new Set();
    this.#byResource.set(resource, peers.add(record));
    return record;
  }

  /** Drops a record of which the server has nothing. True when it was the last one of its resource. */
  drop(record: LineRecord): boolean {
    const { id, resource } = record.ref;
    if (this.#byId.get(id) !== record) return false;
    this.#byId.delete(id);
    const peers = this.#byResource.get(resource)!;
    peers.delete(record);
    return peers.size === 0 && this.#byResource.delete(resource);
  }

  /** Nobody will be granted this place: it is one of this process that is being given back. */
  isIgnored = (place: Place): boolean => this.#byId.get(place.claimId)?.phase === 'leaving';

  /** The id is never granted from now on. */
  withdraw(id: string): void {
    this.#withdrawn.add(id);
  }

  isWithdrawn(id: string): boolean {
    return this.#withdrawn.has(id);
  }
}
