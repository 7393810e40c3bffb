import type { Clock } from '../../core/clock.js';
import type { NodeGrant } from './combined-claim.js';
import type { NodeHandle } from './node-handle.js';

/** A refusal counts for this long, in ms: as long as others may be queued for the resource. */
const CONTENDED_MS = 1_000;
const MIN_CAPACITY = 1_024;

interface ContentionEntry {
  /** Monotonic ms. */
  until: number;
  /** The node that refused last. */
  refusedBy: NodeHandle;
  /** The nodes that queue this process. */
  readonly queuedAt: Set<NodeHandle>;
}

/** Remembers resources that other callers want too. */
export class ContentionTracker {
  readonly #entries = new Map<string, ContentionEntry>();
  #sweepAt = MIN_CAPACITY;

  constructor(private readonly clock: Clock) {}

  /**
   * Another caller was in the way lately. Nodes are then asked in turn, so that the first to arrive
   * is served first.
   */
  isContended(resource: string): boolean {
    const entry = this.#entries.get(resource);
    return entry !== undefined && entry.until > this.clock.now();
  }

  lastRefusedBy(resource: string): NodeHandle | undefined {
    return this.#entries.get(resource)?.refusedBy;
  }

  recordRefusal(resource: string, refusedBy: NodeHandle, queuedAt: readonly NodeHandle[]): void {
    const until = this.clock.now() + CONTENDED_MS;
    let entry = this.#entries.get(resource);
    if (entry === undefined) {
      if (this.#entries.size >= this.#sweepAt) this.#dropExpired();
      this.#entries.set(resource, (entry = { until, refusedBy, queuedAt: new Set() }));
    }
    entry.until = until;
    entry.refusedBy = refusedBy;
    for (const handle of queuedAt) entry.queuedAt.add(handle);
  }

  /** A process that gets the grant has left the queue. */
  recordGrants(resource: string, grants: readonly NodeGrant[]): void {
    const queuedAt = this.#entries.get(resource)?.queuedAt;
    if (queuedAt !== undefined) for (const { handle } of grants) queuedAt.delete(handle);
  }

  /** Returns the nodes that queue this process, and forgets them. */
  leaveQueues(resource: string): readonly NodeHandle[] {
    const entry = this.#entries.get(resource);
    if (entry === undefined) return [];
    const left = [...entry.queuedAt];
    entry.queuedAt.clear();
    return left;
  }

  #dropExpired(): void {
    const now = this.clock.now();
    for (const [resource, { until, queuedAt }] of this.#entries)
      if (until <= now && queuedAt.size === 0) this.#entries.delete(resource);
    // The threshold doubles with the entries in use, so that a new entry rarely scans them all.
    this.#sweepAt = Math.max(MIN_CAPACITY, 2 * this.#entries.size);
  }
}
