import type { ClaimView, Shape } from '../../core/claim.js';
import { BackendUnavailableError, InvalidOptionError, UnsupportedByBackendError } from '../../core/errors.js';
import type {
  AdminDriver,
  HeldResource,
  ListPage,
  ListRequest,
  ProcessEntry,
} from '../../core/ports/admin.js';
import { checkPrintable, pageOf } from '../kit/named-admin.js';
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
  return mergeViews(
    handles,
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
  );
}

/** @param viewsOf what each node has */
function mergeViews(
  handles: readonly NodeHandle[],
  viewsOf: readonly (readonly ClaimView[])[],
): readonly ClaimView[] {
  const found = new Map<string, { view: ClaimView; readonly nodes: string[] }>();
  for (const [at, views] of viewsOf.entries()) {
    for (const view of views) {
      const known = found.get(view.id);
      if (known === undefined) found.set(view.id, { view, nodes: [handles[at]!.id] });
      else known.nodes.push(handles[at]!.id);
      if (known !== undefined && view.remainingMs > known.view.remainingMs) known.view = view;
    }
  }
  return [...found.values()]
    .sort((a, b) => b.nodes.length - a.nodes.length)
    .map(({ view, nodes }) => ({ ...view, id: claimIdOf(view.id), nodes }));
}

/** `<place of the node in the order of all> <nodes that did not answer> <cursor on that node>` */
const CURSOR = /^(\d{1,4}) (\d{1,4}) (.*)$/s;

/**
 * Lists the locks of one node after the other, each with the grants of all nodes; so a lock is listed once for each node that has it.
 * Nodes that do not answer are left out while every lock that is held must be on another one.
 */
export class CombinationAdmin implements AdminDriver {
  constructor(
    private readonly handles: readonly NodeHandle[],
    private readonly minNodes: number,
  ) {}

  async list({ cursor = '0 0 ', ...request }: ListRequest): Promise<ListPage> {
    const [, at, missing, own] = CURSOR.exec(cursor) ?? [];
    const index = Number(at);
    const handle = this.handles[index];
    if (own === undefined || handle === undefined)
      throw new InvalidOptionError('cursor', 'the cursor of the page before', cursor);
    const cursorAfter = (left: number): string | undefined =>
      index + 1 < this.handles.length ? `${index + 1} ${left} ` : undefined;
    try {
      const page = await adminOf(handle).list({ ...request, ...(own !== '' && { cursor: own }) });
      const found = await Promise.all(page.resources.map(({ resource }) => this.find(resource)));
      const next =
        page.cursor === undefined ? cursorAfter(Number(missing)) : `${index} ${missing} ${page.cursor}`;
      return pageOf(found.flat(), next);
    } catch (error) {
      const left = Number(missing) + 1;
      if (!(error instanceof BackendUnavailableError) || own !== '' || left >= this.minNodes) throw error;
      return pageOf([], cursorAfter(left));
    }
  }

  async find(resource: string): Promise<readonly HeldResource[]> {
    checkPrintable('resource', resource);
    const answers = await Promise.allSettled(this.handles.map((handle) => adminOf(handle).find(resource)));
    if (answers.every(({ status }) => status === 'rejected')) throw noAnswerError(this.handles, resource);
    const foundOn = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    // A combination has mutexes alone, so a node has one kind of lock.
    const [first, ...others] = foundOn.flat();
    if (first === undefined) return [];
    const holders = mergeViews(
      this.handles,
      foundOn.map((found) => found.flatMap((one) => one.holders)),
    );
    const waiters = Math.max(first.waiters, ...others.map((one) => one.waiters));
    return [{ resource, shape: first.shape, holders, waiters }];
  }

  /** The processes that any node knows. @throws BackendUnavailableError when no node answers */
  async processes(): Promise<readonly ProcessEntry[]> {
    const answers = await Promise.allSettled(this.handles.map((handle) => adminOf(handle).processes()));
    if (answers.every(({ status }) => status === 'rejected')) throw noAnswerError(this.handles, '');
    const all = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    return [...new Map(all.map((entry) => [entry.id, entry])).values()];
  }
}

/** @throws UnsupportedByBackendError where the backend of the node cannot list */
function adminOf({ id, node }: NodeHandle): AdminDriver {
  if (node.admin !== undefined) return node.admin;
  throw new UnsupportedByBackendError(node.name, 'a list of locks', `ask node ${id} for one by its name`);
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
