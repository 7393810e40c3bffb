import type { ClaimRef } from '../../core/claim.js';
import type { Clock } from '../../core/clock.js';
import { RecentIds } from '../../runtime/collections/recent-ids.js';
import { QueuedClaim } from './queued-claim.js';
import type { QueueEntry } from './queue-store.js';

/** A withdrawn id is remembered this long, in ms: far longer than a request for it may be in flight. */
const WITHDRAWN_MS = 60_000;

/** The claims of this process that have, or may have, an entry in a queue. */
export class QueuedClaims {
  readonly #byId = new Map<string, QueuedClaim>();
  readonly #byResource = new Map<string, Set<QueuedClaim>>();
  readonly #withdrawn: RecentIds;

  constructor(clock: Clock) {
    this.#withdrawn = new RecentIds(clock, WITHDRAWN_MS);
  }

  get(id: string): QueuedClaim | undefined {
    return this.#byId.get(id);
  }

  all(): QueuedClaim[] {
    return [...this.#byId.values()];
  }

  forResource(resource: string): Iterable<QueuedClaim> {
    return this.#byResource.get(resource) ?? [];
  }

  getOrCreate({ id, resource, shape }: ClaimRef): QueuedClaim {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const queued = new QueuedClaim({ id, resource, shape });
    this.#byId.set(id, queued);
    const peers = this.#byResource.get(resource) ?? new Set();
    this.#byResource.set(resource, peers.add(queued));
    return queued;
  }

  /** Drops a record of which the server has nothing. True when it was the last one of its resource. */
  drop(queued: QueuedClaim): boolean {
    const { id, resource } = queued.ref;
    if (this.#byId.get(id) !== queued) return false;
    this.#byId.delete(id);
    const peers = this.#byResource.get(resource)!;
    peers.delete(queued);
    return peers.size === 0 && this.#byResource.delete(resource);
  }

  /** This entry will never be granted: this process is giving it back. */
  isIgnored = (entry: QueueEntry): boolean => this.#byId.get(entry.claimId)?.phase === 'leaving';

  /** Of these entries, those of this process whose claims have no answer yet are decided when this resolves. */
  async decided(entries: readonly QueueEntry[]): Promise<void> {
    const undecided = entries.flatMap(({ claimId }) => {
      const queued = this.#byId.get(claimId);
      return queued?.phase === 'asking' && !queued.requests.isIdle ? [queued.requests.whenIdle()] : [];
    });
    await Promise.all(undecided);
  }

  /** The id is never granted from now on. */
  withdraw(id: string): void {
    this.#withdrawn.add(id);
  }

  isWithdrawn(id: string): boolean {
    return this.#withdrawn.has(id);
  }
}
