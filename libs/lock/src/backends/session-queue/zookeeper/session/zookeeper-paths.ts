import type { Shape } from '../../../../core/claim.js';
import { LockTypeMismatchError } from '../../../../core/errors.js';
import type { QueueEntry } from '../../queue-store.js';

/** Digits that the server appends to the name of an entry: its rank, the lower the earlier. */
const RANK_DIGITS = 10;
const MODE_OF = { x: 'exclusive', s: 'shared' } as const;
/** claim id ; mode and units of capacity ; lease ; rank. A rank that has overflowed has a sign, and fits nothing. */
const ENTRY_NAME = /^(.+);([xs])(\d+)of(\d+);(\d+);(\d{10})$/;

/** The child of a queue that has a number in it: no entry, so that no lock is granted beside it. */
export const COUNT_NODE = 'count';

/** An entry, and its rank. */
export interface RankedEntry extends QueueEntry {
  readonly rank: string;
}

/** What a name of an entry consists of. */
export interface EntryName {
  readonly claimId: string;
  readonly shape: Pick<Shape, 'mode' | 'units' | 'capacity'>;
  readonly leaseMs: number;
}

/** Where things are below the root. User text is one segment of a path, escaped, and never equal to one of our own. */
export class ZooKeeperPaths {
  readonly locks: string;
  readonly sessions: string;

  constructor(readonly root: string) {
    this.locks = `${root}/locks`;
    this.sessions = `${root}/sessions`;
  }

  /** The nodes that everything is below, outermost first. */
  get bases(): string[] {
    const segments = this.root.split('/').slice(1);
    const above = segments.map((_, i) => `/${segments.slice(0, i + 1).join('/')}`);
    return [...above, this.locks, this.sessions];
  }

  queue(resource: string): string {
    // A segment of dots alone would be a step in the tree.
    return `${this.locks}/${encodeURIComponent(resource).replaceAll('.', '%2E')}`;
  }

  /** The name of the lock that has this child of `locks`. */
  resourceOf(segment: string): string {
    return decodeURIComponent(segment);
  }

  /** The beginning of the name of an entry, to which the server or a replacement adds the rank. */
  entryPrefix(resource: string, { claimId, shape, leaseMs }: EntryName): string {
    const { mode, units, capacity } = shape;
    const kind = `${mode === 'shared' ? 's' : 'x'}${units}of${capacity}`;
    return `${this.queue(resource)}/${encodeURIComponent(claimId)};${kind};${Math.ceil(leaseMs)};`;
  }

  /** Where a number of this name is; its own node is below. */
  count(resource: string): string {
    return `${this.queue(resource)}/${COUNT_NODE}`;
  }

  session(id: string): string {
    return `${this.sessions}/${id}`;
  }

  /**
   * The entries of a queue, in their order.
   * @throws LockTypeMismatchError for a child that is not an entry: no claim may be granted the lock beside it
   */
  entries(resource: string, names: readonly string[]): RankedEntry[] {
    const queue = this.queue(resource);
    const entries = names.map((name) => entryFrom(resource, `${queue}/${name}`, name));
    return entries.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  }
}

export function rankOf(path: string): string {
  return path.slice(-RANK_DIGITS);
}

function entryFrom(resource: string, location: string, name: string): RankedEntry {
  const parts = ENTRY_NAME.exec(name);
  if (parts === null) throw new LockTypeMismatchError(resource, `a node named ${name.slice(0, 80)}`);
  const [, claimId, mode, units, capacity, leaseMs, rank] = parts as unknown as string[];
  return {
    resource,
    claimId: decodeURIComponent(claimId!),
    mode: MODE_OF[mode as 'x' | 's'],
    units: Number(units),
    capacity: Number(capacity),
    leaseMs: Number(leaseMs),
    rank: rank!,
    location,
  };
}
