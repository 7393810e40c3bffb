import type { ClaimView, Shape } from '../../core/claim.js';
import { BackendUnavailableError } from '../../core/errors.js';
import { claimIdOf } from './combined-claim.js';
import type { NodeHandle } from './node-handle.js';

/**
 * Lists the grants of all nodes, those on most nodes first. A grant on too few nodes holds nothing,
 * but it is in the way.
 * @throws BackendUnavailableError when no node answers
 */
export async function inspectNodes(
  handles: readonly NodeHandle[],
  resource: string,
  shape: Shape,
): Promise<readonly ClaimView[]> {
  const answers = await Promise.allSettled(handles.map(({ node }) => node.leases.inspect(resource, shape)));
  if (answers.every(({ status }) => status === 'rejected')) throw noAnswerError(handles, resource);
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
 * Makes every node refuse renewals, or free the lock now. Enough nodes must answer that the others
 * are too few to keep a holder.
 * @throws BackendUnavailableError
 */
export async function revokeOnNodes(
  handles: readonly NodeHandle[],
  minNodes: number,
  { resource, shape, how }: Revocation,
): Promise<boolean> {
  const answers = await Promise.allSettled(
    handles.map(({ node }) => node.leases.revoke(resource, shape, how)),
  );
  const values = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const needed = Math.max(minNodes, handles.length - minNodes + 1);
  if (values.length < needed) {
    const detail = `${values.length} of ${handles.length} nodes answered, and ${needed} must`;
    throw new BackendUnavailableError('combination', detail, 'unknown', { resource });
  }
  return values.includes(true);
}

function noAnswerError(handles: readonly NodeHandle[], resource: string): BackendUnavailableError {
  const failures = handles.map(({ failureText }) => failureText).join('; ');
  return new BackendUnavailableError('combination', `no node answers (${failures})`, 'no', { resource });
}
