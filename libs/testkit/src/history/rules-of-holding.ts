import type { History } from './history-event.js';
import { byResource, endOf, type LeaseLife } from './lease-life.js';
import type { Violation } from './violation.js';

/**
 * I1: the intervals [acquired, min(release started, validUntil)] of one resource never overlap; of a semaphore, no lease
 * begins that would bring the permits in use beyond those that there are.
 */
export function exclusion(lives: readonly LeaseLife[]): Violation[] {
  return byResource(lives).flatMap((group) => {
    const found: Violation[] = [];
    let holding: LeaseLife[] = [];
    for (const life of group) {
      const { acquiredAt: at, share } = life;
      if (endOf(life) <= at) continue;
      holding = holding.filter((other) => endOf(other) > at);
      const units = holding.reduce((sum, other) => sum + other.share.units, share.units);
      if (units > share.capacity) found.push({ rule: 'I1', at, text: excess(life, units, holding) });
      holding.push(life);
    }
    return found;
  });
}

/** I2: tokens strictly grow per resource. A lease that was over when its caller got it does not count. */
export function tokens(lives: readonly LeaseLife[]): Violation[] {
  return byResource(lives).flatMap((group) => {
    const fenced = group.filter(
      ({ token, acquiredAt, validUntil }) => token !== 0 && acquiredAt < validUntil,
    );
    return fenced.slice(1).flatMap((life, i) => {
      const before = fenced[i]!;
      if (life.token > before.token) return [];
      const text = `${nameOf(life)} got token ${life.token} after ${nameOf(before)} had got ${before.token}`;
      return [{ rule: 'I2' as const, at: life.acquiredAt, text }];
    });
  });
}

/** I3: `isHeld` is false at every instant >= validUntil, and after a release or a loss. */
export function clockTruth(lives: readonly LeaseLife[]): Violation[] {
  return lives.flatMap((life) =>
    life.sightings.flatMap(({ isHeld, at }) => {
      const end = endOf({ ...life, validUntil: knownEnd(life, at) });
      if (!isHeld || at < end) return [];
      const text = `${nameOf(life)} looked held ${(at - end).toFixed(3)} ms after its end`;
      return [{ rule: 'I3' as const, at, text }];
    }),
  );
}

/** I7: a foreign or stale release or renewal changes nothing, and says so. */
export function ownership(lives: readonly LeaseLife[], history: History): Violation[] {
  const meddled = history.flatMap((event): Violation[] => {
    if (event.kind !== 'meddled' || event.outcome === (event.verb === 'renew' ? 'lost' : 'absent')) return [];
    return [{ rule: 'I7', at: event.at, text: `a foreign ${event.verb} was answered "${event.outcome}"` }];
  });
  const stale = lives.flatMap((life): Violation[] => {
    const { released, releasingAt = Infinity, lostAt = Infinity, validUntil } = life;
    const wasOver = releasingAt >= validUntil || lostAt < releasingAt;
    if (released?.outcome !== 'released' || !wasOver) return [];
    const text = `${nameOf(life)} was over, and its release said "released"`;
    return [{ rule: 'I7', at: released.at, text }];
  });
  return [...meddled, ...stale];
}

function excess(life: LeaseLife, units: number, holding: readonly LeaseLife[]): string {
  const { resource, acquiredAt, share } = life;
  if (share.capacity > 1)
    return `${nameOf(life)} brought the permits of "${resource}" to ${units} of ${share.capacity}`;
  const longest = holding.reduce((one, other) => (endOf(other) > endOf(one) ? other : one));
  const ms = (Math.min(endOf(longest), endOf(life)) - acquiredAt).toFixed(3);
  return `${nameOf(life)} held "${resource}" together with ${nameOf(longest)} for ${ms} ms`;
}

function nameOf({ lease, process }: LeaseLife): string {
  return `${lease} (${process})`;
}

function knownEnd({ renewals, grantedUntil }: LeaseLife, at: number): number {
  const known = renewals.filter((renewal) => renewal.at <= at).map(({ validUntil }) => validUntil);
  return Math.max(grantedUntil, ...known);
}
