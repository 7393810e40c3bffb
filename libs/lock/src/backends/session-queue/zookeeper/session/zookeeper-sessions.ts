import { classOf } from '../../session-class.js';
import type { LineSession } from '../../line-store.js';
import { notDone } from '../connection/failures.js';
import type { LinkNews, ZooKeeperLink } from '../connection/link.js';
import type { Paths } from './paths.js';
import { sessionMsFor, ZooKeeperSession } from './zookeeper-session.js';

/** How sessions are opened, and who hears of them. */
export interface SessionTerms {
  readonly paths: Paths;
  readonly processId: string;
  readonly maxLeaseMs: number;
  readonly operationTimeoutMs: number;
  readonly openLink: (sessionMs: number, news: LinkNews) => ZooKeeperLink;
  readonly onLost: (session: LineSession) => void;
  readonly onSuspended: (session: ZooKeeperSession) => void;
  readonly onRegained: () => void;
}

/** The sessions of this process: one for each class of lease lengths, opened on first use and kept until it is lost. */
export class ZooKeeperSessions {
  readonly #byClass = new Map<number, ZooKeeperSession>();
  #opened = 0;
  #isClosed = false;

  constructor(private readonly terms: SessionTerms) {}

  /** The session for leases of this length, ready. */
  async get(leaseMs: number, patienceMs = this.terms.operationTimeoutMs): Promise<ZooKeeperSession> {
    if (this.#isClosed) throw notDone('it is closed');
    const length = classOf(leaseMs, this.terms.maxLeaseMs);
    let session = this.#byClass.get(length);
    if (session === undefined) {
      session = this.#open(length);
      this.#byClass.set(length, session);
    }
    return session.whenReady(leaseMs, patienceMs);
  }

  /** One for what is no place of this process. */
  any(patienceMs?: number): Promise<ZooKeeperSession> {
    return this.get(this.terms.maxLeaseMs, patienceMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#byClass.values(), ({ link }) => link.close()));
    this.#byClass.clear();
  }

  #open(length: number): ZooKeeperSession {
    const { paths, processId, maxLeaseMs, openLink, onLost, onSuspended, onRegained } = this.terms;
    this.#opened += 1;
    const node = paths.session(`${processId}-${this.#opened}`);
    const link = openLink(sessionMsFor(length, maxLeaseMs), {
      regained: onRegained,
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
