import type { CombinedClaim } from './combined-claim.js';

/**
 * Fencing tokens that grow: the largest of those that the nodes have reserved, written back to all that are behind while
 * they still have the grant. Whoever is granted next has one of those nodes among its own. Largest numbers that are not
 * written back repeat without any fault: each node counts for itself.
 * @returns whether enough nodes have it
 */
export async function raiseTokens(combined: CombinedClaim, minNodes: number): Promise<boolean> {
  const first = Math.max(...combined.grants.map(({ token }) => token));
  const last = first + combined.tokens - 1;
  combined.token = first;
  const outcomes = await Promise.all(
    combined.grants.map(({ handle, token }) =>
      token === first
        ? Promise.resolve('raised' as const)
        : handle.node.raiseToken(combined, last).catch((error: Error) => {
            handle.recordFailure(error);
            return 'unknown' as const;
          }),
    ),
  );
  return outcomes.filter((outcome) => outcome === 'raised').length >= minNodes;
}
