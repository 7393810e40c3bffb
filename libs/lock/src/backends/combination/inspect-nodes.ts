import type { ClaimView, Shape } from '../../core/claim.js';
import { BackendUnavailableError } from '../../core/errors.js';
import type { LeaseDriver } from '../../core/ports/ports.js';
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
  /** The claim id of the only grant that is meant. */
  readonly holder: string | undefined;
}

/**
 * Makes every node refuse renewals, or free the lock now. Enough nodes must answer that the others
 * are too few to keep a holder.
 * @throws BackendUnavailableError
 */
export async function revokeOnNodes(
  handles: readonly NodeHandle[],
  minNodes: number,
  revocation: Revocation,
): Promise<boolean> {
  const { resource } = revocation;
  const answers = await Promise.allSettled(handles.map(({ node }) => revokeOn(node.leases, revocation)));
  const values = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const needed = Math.max(minNodes, handles.length - minNodes + 1);
  if (values.length < needed) {
    const detail = `${values.length} of ${handles.length} nodes answered, and ${needed} must`;
    throw new BackendUnavailableError('combination', detail, 'unknown', { resource });
  }
  return values.includes(true);
}

/** A node knows the grant by the id of one of its attempts. */
async function revokeOn(leases: LeaseDriver, { resource, shape, how, holder }: Revocation): Promise<boolean> {
  if (holder === undefined) return leases.revoke(resource, shape, how);
  const views = await leases.inspect(resource, shape);
  const attempts = views.filter(({ id }) => claimIdOf(id) === holder);
  const revoked = await Promise.all(attempts.map(({ id }) => leases.revoke(resource, shape, how, id)));
  return revoked.includes(true);
}

function noAnswerError(handles: readonly NodeHandle[], resource: string): BackendUnavailableError {
  const failures = handles.map(({ failureText }) => failureText).join('; ');
  return new BackendUnavailableError('combination', `no node answers (${failures})`, 'no', { resource });
}
