import type { ClaimView } from '../../../core/claim.js';
import type {
  AdminDriver,
  HeldResource,
  ListPage,
  ListRequest,
  ProcessEntry,
} from '../../../core/ports/admin.js';
import { checkListRequest, checkPrintable, namesPageOf, pageOf, shapeOf } from '../../kit/named-admin.js';

/** A lock that a session has, as the server lists it. */
export interface ServerLock {
  /** The server's name for it, which need not be that of the resource. */
  readonly name: string;
  /** The number of the session. */
  readonly session: number;
  readonly isShared: boolean;
}

export interface SessionAdminDeps {
  /** The holders of a resource. */
  readonly inspect: (resource: string) => Promise<readonly ClaimView[]>;
  /**
   * All locks that sessions have, also those of other programs.
   * @throws BackendUnavailableError; UnsupportedByBackendError where the server does not list them
   */
  readonly readLocks: () => Promise<readonly ServerLock[]>;
  /** The lock of this very name of the server's, in each session that has it; none where the text cannot be such a name. */
  readonly readLock: (serverName: string) => Promise<readonly ServerLock[]>;
}

/**
 * Lists the locks of sessions by the server's names for them, and their holders by the numbers of their sessions: the server knows no
 * more. A page reads all of them, since they are in the memory of the server. A session has no place in a queue, so none waits.
 */
export class SessionAdmin implements AdminDriver {
  constructor(private readonly deps: SessionAdminDeps) {}

  async list(request: ListRequest): Promise<ListPage> {
    checkListRequest(request);
    const holders = await this.#holdersByName();
    const { names, cursor } = namesPageOf(holders.keys(), request);
    return pageOf(
      names.map((name) => heldResource(name, holders.get(name)!)),
      cursor,
    );
  }

  async find(resource: string): Promise<readonly HeldResource[]> {
    const { inspect, readLock } = this.deps;
    const holders = await inspect(checkPrintable('resource', resource));
    if (holders.length > 0) return [heldResource(resource, holders)];
    const locks = await readLock(resource);
    return locks.length === 0 ? [] : [heldResource(resource, locks.map(viewOf))];
  }

  /** None: a session does not tell its process. */
  async processes(): Promise<readonly ProcessEntry[]> {
    return [];
  }

  async #holdersByName(): Promise<ReadonlyMap<string, readonly ClaimView[]>> {
    const found = new Map<string, readonly ClaimView[]>();
    for (const lock of await this.deps.readLocks())
      found.set(lock.name, [...(found.get(lock.name) ?? []), viewOf(lock)]);
    return found;
  }
}

/** A holder of which the server knows the session alone. */
export function sessionView(resource: string, session: number, isShared: boolean): ClaimView {
  return {
    resource,
    id: sessionId(session),
    mode: isShared ? 'shared' : 'exclusive',
    units: 1,
    depth: 1,
    remainingMs: Infinity,
    revoked: false,
  };
}

/** The id of a claim of which the server knows the session alone. */
export function sessionId(session: number): string {
  return `session:${session}`;
}

function viewOf({ name, session, isShared }: ServerLock): ClaimView {
  return sessionView(name, session, isShared);
}

function heldResource(resource: string, holders: readonly ClaimView[]): HeldResource {
  return { resource, shape: shapeOf(holders), holders, waiters: 0 };
}
