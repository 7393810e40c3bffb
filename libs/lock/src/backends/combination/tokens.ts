import type { Bid } from './bid.js';

/**
 * Fencing tokens that grow: the largest of those that the nodes have reserved, written back to all that are behind while
 * they still have the grant. Whoever is granted next has one of those nodes among its own. Largest numbers that are not
 * written back repeat without any fault: each node counts for itself.
 * @returns whether enough nodes have it
 */
export async function raiseTokens(bid: Bid, minNodes: number): Promise<boolean> {
  const first = Math.max(...bid.seals.map(({ token }) => token));
  const last = first + bid.tokens - 1;
  bid.token = first;
  const outcomes = await Promise.all(
    bid.seals.map(({ member, token }) =>
      token === first
        ? Promise.resolve('raised' as const)
        : member.node.raiseToken(bid, last).catch((error: Error) => {
            member.failed(error);
            return 'unknown' as const;
          }),
    ),
  );
  return outcomes.filter((outcome) => outcome === 'raised').length >= minNodes;
}
