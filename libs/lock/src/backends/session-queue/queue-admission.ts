import { isAdmitted } from '../../core/admission.js';
import type { HolderView } from '../../core/claim.js';
import type { QueueEntry } from './queue-store.js';

/** An entry that does not count: it will never be granted. */
export type EntryPredicate = (entry: QueueEntry) => boolean;

const NO_ENTRIES: readonly never[] = [];

/** The entries before this one that count; undefined when it is not in the queue. */
export function entriesAhead(
  queue: readonly QueueEntry[],
  claimId: string,
  isIgnored: EntryPredicate,
): QueueEntry[] | undefined {
  const index = queue.findIndex((entry) => entry.claimId === claimId);
  return index < 0 ? undefined : queue.slice(0, index).filter((entry) => !isIgnored(entry));
}

/**
 * Whether a claim fits behind those ahead: in an ordered queue, every entry ahead counts as a
 * holder.
 */
export function fits(
  claim: { readonly units: number; readonly capacity: number },
  ahead: readonly QueueEntry[],
) {
  return isAdmitted(claim, ahead, NO_ENTRIES);
}

/** The holders, and the waiters that may take their grant without waiting for another entry. */
export function holdersIn(queue: readonly QueueEntry[]): QueueEntry[] {
  return queue.filter((entry, i) => fits(entry, queue.slice(0, i)));
}

/**
 * The smallest set that cannot miss. An entry fits only once enough units ahead of it are gone; not
 * all of this set can be left then. For a mutex the set is the predecessor; for a reader, the
 * nearest writer; for one of n permits, the n entries before it. The largest entries come first,
 * since they make the set small; among equals those that leave last.
 */
export function blockersOf(
  claim: { readonly units: number; readonly capacity: number },
  ahead: readonly QueueEntry[],
) {
  const blockers: QueueEntry[] = [];
  const nearestFirst = ahead.toReversed().sort((a, b) => b.units - a.units);
  let units = claim.units;
  for (const entry of nearestFirst) {
    if (units > claim.capacity) break;
    units += entry.units;
    blockers.push(entry);
  }
  return blockers;
}

/**
 * The holder in the way, and when it ends at the latest. Servers know sessions only, so leases
 * count as just begun.
 */
export function refusalBy(ahead: readonly QueueEntry[], remainingMs: (entry: QueueEntry) => number) {
  const holders = holdersIn(ahead);
  const [first] = holders;
  const holder: HolderView | undefined = first && { id: first.claimId, remainingMs: remainingMs(first) };
  return { holder, retryInMs: Math.max(1, Math.min(...holders.map(remainingMs))) };
}
