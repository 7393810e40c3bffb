import { leaseClassFor } from '../../lease-class.js';
import { notExecuted } from '../connection/failures.js';
import { EtcdSession, type EtcdSessionDeps } from './etcd-session.js';

/**
 * The sessions of this process, one for each class of leases. ZooKeeper has a table of its own: its sessions are kept before
 * they are ready, those of etcd are promises that may fail. A shared table would save no statement.
 */
export class EtcdSessions {
  readonly #opening = new Map<number, Promise<EtcdSession>>();
  readonly #open = new Set<EtcdSession>();
  #isClosed = false;

  constructor(
    private readonly deps: EtcdSessionDeps,
    private readonly maxLeaseMs: number,
    private readonly onOpened: (session: EtcdSession) => void,
    private readonly onLost: (session: EtcdSession) => void,
  ) {}

  /** @throws BackendUnavailableError */
  async for(leaseMs: number): Promise<EtcdSession> {
    if (this.#isClosed) throw notExecuted('it is closed');
    const length = ttlSecondsFor(leaseClassFor(leaseMs, this.maxLeaseMs));
    const known = this.#opening.get(length);
    if (known !== undefined) return known;
    const opening = EtcdSession.open(this.deps, length, (session) => {
      if (this.#open.delete(session)) this.onLost(session);
      if (this.#opening.get(length) === opening) this.#opening.delete(length);
    });
    this.#opening.set(length, opening);
    opening.then(
      (session) => this.#opened(session),
      () => void this.#opening.delete(length),
    );
    return opening;
  }

  /** Whether a lease of etcd is one of this process. */
  has(leaseId: string): boolean {
    for (const session of this.#open) if (session.leaseId === leaseId) return true;
    return false;
  }

  /** Ends all of them, and with them every entry of this process. Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#opening.values()].map(async (opening) => this.#close(await opening)));
  }

  #opened(session: EtcdSession): void {
    if (session.isLost) return;
    this.#open.add(session);
    if (!this.#isClosed) this.onOpened(session);
  }

  async #close(session: EtcdSession): Promise<void> {
    const { link } = this.deps;
    this.#open.delete(session);
    session.end();
    await link.revokeLease(session.leaseId, link.deadline());
  }
}

/**
 * Whole seconds that a lease of etcd lives: half a second longer than the longest of its class, so
 * that a busy process needs no keep-alive for each claim. Those of a second do without: a dead
 * holder should not keep others out for twice as long.
 */
function ttlSecondsFor(classMs: number): number {
  return classMs <= 1_000 ? 1 : Math.ceil((classMs + 500) / 1_000);
}
