import { isAdmitted } from '../../core/admission.js';
import type { HolderView } from '../../core/claim.js';
import type { Place } from './line-store.js';

/** A place that does not count: nobody will ever be granted it. */
export type Ignored = (place: Place) => boolean;

const NOBODY: readonly never[] = [];

/** The places before this one that count; undefined when it is not in the line. */
export function aheadOf(line: readonly Place[], claimId: string, ignored: Ignored): Place[] | undefined {
  const index = line.findIndex((place) => place.claimId === claimId);
  return index < 0 ? undefined : line.slice(0, index).filter((place) => !ignored(place));
}

/** Whether a claim fits behind those ahead: in a line that is kept in order, whoever is ahead counts as a holder. */
export function fits(claim: { readonly units: number; readonly capacity: number }, ahead: readonly Place[]) {
  return isAdmitted(claim, ahead, NOBODY);
}

/** Those who hold, or may take what is theirs without waiting for anybody. */
export function holdersIn(line: readonly Place[]): Place[] {
  return line.filter((place, i) => fits(place, line.slice(0, i)));
}

/**
 * The smallest set that cannot miss: a place fits only once so many units ahead of it are gone that not all of these can
 * still stand. For a mutex that is the predecessor alone, for a reader the nearest writer, for one of n permits the n
 * places before it. The largest first, since they make the set small; among equals those that leave last.
 */
export function blockersOf(
  claim: { readonly units: number; readonly capacity: number },
  ahead: readonly Place[],
) {
  const blockers: Place[] = [];
  const nearestFirst = ahead.toReversed().sort((a, b) => b.units - a.units);
  let units = claim.units;
  for (const place of nearestFirst) {
    if (units > claim.capacity) break;
    units += place.units;
    blockers.push(place);
  }
  return blockers;
}

/** Who stands in the way, and when it is over at the latest: servers know sessions, so leases count as just begun. */
export function refusalBy(ahead: readonly Place[], remainingMs: (place: Place) => number) {
  const holders = holdersIn(ahead);
  const [first] = holders;
  const holder: HolderView | undefined = first && { id: first.claimId, remainingMs: remainingMs(first) };
  return { holder, retryInMs: Math.max(1, Math.min(...holders.map(remainingMs))) };
}
