import type { CombinedClaim } from './combined-claim.js';

/**
 * Makes fencing tokens grow across nodes. Each node reserves tokens from its own counter. The
 * largest is written back to every node that is behind, while it still has the grant. The next
 * grant includes at least one of those nodes. Without this step the largest number repeats without
 * any fault, since each node counts for itself.
 * @returns whether enough nodes have the token
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
