import type { History } from 'bedrock-testkit';

/** The longest time between the end of a hold and the beginning of the next one, ms. */
export function longestGap(history: History): number {
  const ends = new Map<string, number>();
  const ordered = [...history].sort((a, b) => a.at - b.at);
  for (const event of ordered) {
    if (event.kind === 'acquired' || event.kind === 'renewed') ends.set(event.lease, event.validUntil);
    if (event.kind === 'releasing' || event.kind === 'lost')
      ends.set(event.lease, Math.min(event.at, ends.get(event.lease) ?? event.at));
  }
  let heldUntil = Infinity;
  let longest = 0;
  for (const event of ordered) {
    if (event.kind !== 'acquired') continue;
    longest = Math.max(longest, event.at - heldUntil);
    heldUntil = Math.max(heldUntil === Infinity ? 0 : heldUntil, ends.get(event.lease)!);
  }
  return longest;
}
