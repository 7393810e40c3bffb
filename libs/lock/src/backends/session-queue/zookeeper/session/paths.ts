import type { Shape } from '../../../../core/claim.js';
import { LockTypeMismatchError } from '../../../../core/errors.js';
import type { Place } from '../../line-store.js';

/** Digits that the server appends to the name of a place: its rank, the lower the earlier. */
const RANK_DIGITS = 10;
const MODE_OF = { x: 'exclusive', s: 'shared' } as const;
/** claim id ; mode and units of capacity ; lease ; rank. A rank that has overflowed has a sign, and fits nothing. */
const PLACE = /^(.+);([xs])(\d+)of(\d+);(\d+);(\d{10})$/;

/** The child of a line that has a number in it: no place, so that no lock is granted beside it. */
export const COUNT = 'count';

/** A place, and its rank. */
export interface RankedPlace extends Place {
  readonly rank: string;
}

/** What a name of a place consists of. */
export interface PlaceName {
  readonly claimId: string;
  readonly shape: Pick<Shape, 'mode' | 'units' | 'capacity'>;
  readonly leaseMs: number;
}

/** Where things are below the root. User text is one segment of a path, escaped, and never equal to one of our own. */
export class Paths {
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

  line(resource: string): string {
    // A segment of dots alone would be a step in the tree.
    return `${this.locks}/${encodeURIComponent(resource).replaceAll('.', '%2E')}`;
  }

  /** The beginning of the name of a place, to which the server or a move adds the rank. */
  stem(resource: string, { claimId, shape, leaseMs }: PlaceName): string {
    const { mode, units, capacity } = shape;
    const kind = `${mode === 'shared' ? 's' : 'x'}${units}of${capacity}`;
    return `${this.line(resource)}/${encodeURIComponent(claimId)};${kind};${Math.ceil(leaseMs)};`;
  }

  /** Where a number of this name is; its own node is below. */
  count(resource: string): string {
    return `${this.line(resource)}/${COUNT}`;
  }

  session(id: string): string {
    return `${this.sessions}/${id}`;
  }

  /**
   * The places of a line, in their order.
   * @throws LockTypeMismatchError for a child that is no place: whatever it is, nobody may be granted the lock beside it
   */
  places(resource: string, names: readonly string[]): RankedPlace[] {
    const line = this.line(resource);
    const places = names.map((name) => placeOf(resource, `${line}/${name}`, name));
    return places.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  }
}

export function rankOf(path: string): string {
  return path.slice(-RANK_DIGITS);
}

function placeOf(resource: string, at: string, name: string): RankedPlace {
  const parts = PLACE.exec(name);
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
    at,
  };
}
