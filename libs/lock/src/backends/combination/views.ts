import type { ClaimView, Shape } from '../../core/claim.js';
import { BackendUnavailableError } from '../../core/errors.js';
import { claimIdOf } from './bid.js';
import type { Member } from './member.js';

/**
 * Who has a grant on any of the nodes, those on most nodes first: one on too few of them holds nothing, and is in the way
 * all the same.
 * @throws BackendUnavailableError when no node answers
 */
export async function inspectNodes(
  members: readonly Member[],
  resource: string,
  shape: Shape,
): Promise<readonly ClaimView[]> {
  const answers = await Promise.allSettled(members.map(({ node }) => node.leases.inspect(resource, shape)));
  if (answers.every(({ status }) => status === 'rejected')) throw noneAnswers(members, resource);
  const found = new Map<string, { view: ClaimView; nodes: number }>();
  for (const answer of answers) {
    for (const view of answer.status === 'fulfilled' ? answer.value : []) {
      const known = found.get(view.id);
      if (known === undefined) found.set(view.id, { view, nodes: 1 });
      else known.nodes += 1;
      if (known !== undefined && view.remainingMs > known.view.remainingMs) known.view = view;
    }
  }
  return [...found.values()]
    .sort((a, b) => b.nodes - a.nodes)
    .map(({ view }) => ({ ...view, id: claimIdOf(view.id) }));
}

export interface Revocation {
  readonly resource: string;
  readonly shape: Shape;
  readonly how: 'atExpiry' | 'now';
}

/**
 * Refuses renewals on every node, or frees it there. Enough of them must have answered that no holder finds the nodes that
 * it needs among the others.
 * @throws BackendUnavailableError
 */
export async function revokeOnNodes(
  members: readonly Member[],
  minNodes: number,
  { resource, shape, how }: Revocation,
): Promise<boolean> {
  const answers = await Promise.allSettled(
    members.map(({ node }) => node.leases.revoke(resource, shape, how)),
  );
  const values = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const needed = Math.max(minNodes, members.length - minNodes + 1);
  if (values.length < needed) {
    const detail = `${values.length} of ${members.length} nodes answered, and ${needed} must`;
    throw new BackendUnavailableError('combination', detail, 'unknown', { resource });
  }
  return values.includes(true);
}

function noneAnswers(members: readonly Member[], resource: string): BackendUnavailableError {
  const troubles = members.map(({ trouble }) => trouble).join('; ');
  return new BackendUnavailableError('combination', `no node answers (${troubles})`, 'no', { resource });
}
