import type { History } from './history-event.js';
import { byResource, endOf, type LeaseTimeline } from './lease-timeline.js';
import type { Violation } from './violation.js';

/**
 * I1: the intervals [acquired, min(release started, validUntil)] of one resource never overlap. For a semaphore, no
 * lease begins that would raise the permits in use above the total.
 */
export function exclusion(timelines: readonly LeaseTimeline[]): Violation[] {
  return byResource(timelines).flatMap((group) => {
    const found: Violation[] = [];
    let holding: LeaseTimeline[] = [];
    for (const timeline of group) {
      const { acquiredAt: at, share } = timeline;
      if (endOf(timeline) <= at) continue;
      holding = holding.filter((other) => endOf(other) > at);
      const units = holding.reduce((sum, other) => sum + other.share.units, share.units);
      if (units > share.capacity) found.push({ invariant: 'I1', at, text: excess(timeline, units, holding) });
      holding.push(timeline);
    }
    return found;
  });
}

/** I2: tokens strictly grow per resource. A lease that had ended when its caller got it does not count. */
export function tokens(timelines: readonly LeaseTimeline[]): Violation[] {
  return byResource(timelines).flatMap((group) => {
    const fenced = group.filter(
      ({ token, acquiredAt, validUntil }) => token !== 0 && acquiredAt < validUntil,
    );
    return fenced.slice(1).flatMap((timeline, i) => {
      const before = fenced[i]!;
      if (timeline.token > before.token) return [];
      const text = `${nameOf(timeline)} got token ${timeline.token} after ${nameOf(before)} had got ${before.token}`;
      return [{ invariant: 'I2' as const, at: timeline.acquiredAt, text }];
    });
  });
}

/** I3: `isHeld` is false at every instant >= validUntil, and after a release or a loss. */
export function isHeldAccuracy(timelines: readonly LeaseTimeline[]): Violation[] {
  return timelines.flatMap((timeline) =>
    timeline.observations.flatMap(({ isHeld, at }) => {
      const end = endOf({ ...timeline, validUntil: knownEnd(timeline, at) });
      if (!isHeld || at < end) return [];
      const text = `${nameOf(timeline)} looked held ${(at - end).toFixed(3)} ms after its end`;
      return [{ invariant: 'I3' as const, at, text }];
    }),
  );
}

/** I7: a foreign or stale release or renewal changes nothing, and says so. */
export function ownership(timelines: readonly LeaseTimeline[], history: History): Violation[] {
  const foreignWrites = history.flatMap((event): Violation[] => {
    if (event.kind !== 'meddled' || event.outcome === (event.verb === 'renew' ? 'lost' : 'absent')) return [];
    return [
      { invariant: 'I7', at: event.at, text: `a foreign ${event.verb} was answered "${event.outcome}"` },
    ];
  });
  const stale = timelines.flatMap((timeline): Violation[] => {
    const { released, releasingAt = Infinity, lostAt = Infinity, validUntil } = timeline;
    const wasOver = releasingAt >= validUntil || lostAt < releasingAt;
    if (released?.outcome !== 'released' || !wasOver) return [];
    const text = `${nameOf(timeline)} was over, and its release said "released"`;
    return [{ invariant: 'I7', at: released.at, text }];
  });
  return [...foreignWrites, ...stale];
}

function excess(timeline: LeaseTimeline, units: number, holding: readonly LeaseTimeline[]): string {
  const { resource, acquiredAt, share } = timeline;
  if (share.capacity > 1)
    return `${nameOf(timeline)} brought the permits of "${resource}" to ${units} of ${share.capacity}`;
  const longest = holding.reduce((one, other) => (endOf(other) > endOf(one) ? other : one));
  const ms = (Math.min(endOf(longest), endOf(timeline)) - acquiredAt).toFixed(3);
  return `${nameOf(timeline)} held "${resource}" together with ${nameOf(longest)} for ${ms} ms`;
}

function nameOf({ lease, process }: LeaseTimeline): string {
  return `${lease} (${process})`;
}

function knownEnd({ renewals, grantedUntil }: LeaseTimeline, at: number): number {
  const known = renewals.filter((renewal) => renewal.at <= at).map(({ validUntil }) => validUntil);
  return Math.max(grantedUntil, ...known);
}
