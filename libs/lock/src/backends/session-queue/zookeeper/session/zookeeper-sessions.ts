import { leaseClassFor } from '../../lease-class.js';
import type { QueueSession } from '../../queue-store.js';
import { notExecuted } from '../connection/failures.js';
import type { LinkListener, ZooKeeperLink } from '../connection/link.js';
import type { ZooKeeperPaths } from './zookeeper-paths.js';
import { sessionTimeoutFor, ZooKeeperSession } from './zookeeper-session.js';

/** How sessions are opened, and the listeners for what happens to them. */
export interface ZooKeeperSessionsDeps {
  readonly paths: ZooKeeperPaths;
  readonly processId: string;
  readonly maxLeaseMs: number;
  readonly operationTimeoutMs: number;
  readonly openLink: (sessionMs: number, listener: LinkListener) => ZooKeeperLink;
  readonly onLost: (session: QueueSession) => void;
  readonly onSuspended: (session: ZooKeeperSession) => void;
  readonly onReconnected: () => void;
}

/**
 * The sessions of this process: one for each class of lease lengths, opened on first use and kept until it is lost. etcd has
 * a table of its own: its sessions are promises that may fail, those of ZooKeeper are kept before they are ready.
 */
export class ZooKeeperSessions {
  readonly #byClass = new Map<number, ZooKeeperSession>();
  #opened = 0;
  #isClosed = false;

  constructor(private readonly deps: ZooKeeperSessionsDeps) {}

  /** The session for leases of this length, ready. */
  async get(leaseMs: number, timeoutMs = this.deps.operationTimeoutMs): Promise<ZooKeeperSession> {
    if (this.#isClosed) throw notExecuted('it is closed');
    const length = leaseClassFor(leaseMs, this.deps.maxLeaseMs);
    let session = this.#byClass.get(length);
    if (session === undefined) {
      session = this.#open(length);
      this.#byClass.set(length, session);
    }
    return session.whenReady(leaseMs, timeoutMs);
  }

  /** A session for an entry that is not of this process. */
  any(timeoutMs?: number): Promise<ZooKeeperSession> {
    return this.get(this.deps.maxLeaseMs, timeoutMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#byClass.values(), ({ link }) => link.close()));
    this.#byClass.clear();
  }

  #open(length: number): ZooKeeperSession {
    const { paths, processId, maxLeaseMs, openLink, onLost, onSuspended, onReconnected } = this.deps;
    this.#opened += 1;
    const node = paths.session(`${processId}-${this.#opened}`);
    const link = openLink(sessionTimeoutFor(length, maxLeaseMs), {
      reconnected: onReconnected,
      suspended: () => onSuspended(session),
      expired: () => {
        if (this.#byClass.get(length) === session) this.#byClass.delete(length);
        session.isLost = true;
        void link.close();
        onLost(session);
      },
    });
    const session = new ZooKeeperSession(link, paths, node);
    return session;
  }
}
