import type { ClaimView } from '../../../core/claim.js';
import type {
  AdminDriver,
  HeldResource,
  ListPage,
  ListRequest,
  ProcessEntry,
} from '../../../core/ports/admin.js';
import { checkListRequest, checkPrintable, namesPageOf, pageOf, shapeOf } from '../../kit/named-admin.js';
import type { SqlResult } from '../connection/link.js';

/** A lock that a session has, as the server lists it. */
export interface ServerLock {
  /** The server's name for it, which need not be that of the resource. */
  readonly name: string;
  /** The number of the session, where it has one. */
  readonly session: number | undefined;
  readonly isShared: boolean;
}

/** Asks the server. @throws BackendUnavailableError */
export type Ask = (text: string, values?: readonly unknown[]) => Promise<SqlResult>;

/** What one kind of server tells of the locks of sessions. */
export interface ServerLocks {
  /**
   * All that sessions have, also those of other programs.
   * @throws BackendUnavailableError; UnsupportedByBackendError where the server does not list them
   */
  all(ask: Ask): Promise<readonly ServerLock[]>;
  /** Those with this name of the server's, if no resource has such a name. @default none */
  named?(ask: Ask, serverName: string): Promise<readonly ServerLock[]>;
}

export interface SessionAdminDeps {
  /** The holders of a resource. */
  readonly inspect: (resource: string) => Promise<readonly ClaimView[]>;
  readonly serverLocks: ServerLocks;
  /** On another session than that of the locks, which a slow answer would delay or end. */
  readonly ask: Ask;
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
    const { inspect, serverLocks, ask } = this.deps;
    const holders = await inspect(checkPrintable('resource', resource));
    if (holders.length > 0) return [heldResource(resource, holders)];
    const locks = (await serverLocks.named?.(ask, resource)) ?? [];
    return locks.length === 0 ? [] : [heldResource(resource, locks.map(viewOf))];
  }

  /** None: a session does not tell its process. */
  async processes(): Promise<readonly ProcessEntry[]> {
    return [];
  }

  async #holdersByName(): Promise<ReadonlyMap<string, readonly ClaimView[]>> {
    const { serverLocks, ask } = this.deps;
    const found = new Map<string, readonly ClaimView[]>();
    for (const lock of await serverLocks.all(ask))
      found.set(lock.name, [...(found.get(lock.name) ?? []), viewOf(lock)]);
    return found;
  }
}

/** A holder of which the server knows the session alone. */
export function sessionView(resource: string, session: number | undefined, isShared: boolean): ClaimView {
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
export function sessionId(session: number | undefined): string {
  return `session:${session ?? 'none'}`;
}

function viewOf({ name, session, isShared }: ServerLock): ClaimView {
  return sessionView(name, session, isShared);
}

function heldResource(resource: string, holders: readonly ClaimView[]): HeldResource {
  return { resource, shape: shapeOf(holders), holders, waiters: 0 };
}
