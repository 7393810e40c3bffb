import { leaseClassFor } from '../../lease-class.js';
import type { QueueSession } from '../../queue-store.js';
import { UnsupportedByBackendError } from '../../../../core/errors.js';
import { mayHaveActed } from '../../../../core/unavailable.js';
import { BACKEND, noAnswer } from '../connection/failures.js';
import {
  isFault,
  NodeFault,
  type NodeStat,
  type TransactionStep,
  type StepResult,
  type ZooKeeperLink,
} from '../connection/link.js';
import type { ZooKeeperPaths } from './zookeeper-paths.js';

/** A session lasts 1.5 times its leases: an entry is trusted for two thirds of the session since the last contact. */
const SESSION_PER_LEASE = 1.5;

const NOTHING = Buffer.alloc(0);

/** The session time-out to request, for leases of this length. */
export function sessionTimeoutFor(leaseMs: number, maxLeaseMs: number): number {
  return Math.ceil(leaseClassFor(leaseMs, maxLeaseMs) * SESSION_PER_LEASE);
}

/** A session with a node of its own: writing to it proves contact with the majority of the servers. */
export class ZooKeeperSession implements QueueSession {
  isLost = false;
  /** Changes without an answer, and how many of them are settled. */
  #unanswered = 0;
  #resolved = 0;
  #nodeCreated: Promise<void> | undefined;

  constructor(
    readonly link: ZooKeeperLink,
    private readonly paths: ZooKeeperPaths,
    /** Its own node. */
    private readonly node: string,
  ) {}

  get maxLeaseMs(): number {
    return Math.floor(this.link.sessionTimeoutMs / SESSION_PER_LEASE);
  }

  /**
   * Waits for the first contact, and makes its node. @throws where the server grants less than
   * requested
   */
  async whenReady(leaseMs: number, timeoutMs: number): Promise<this> {
    await this.link.whenConnected(timeoutMs);
    if (leaseMs > this.maxLeaseMs) {
      throw new UnsupportedByBackendError(
        BACKEND,
        `leases of ${leaseMs} ms`,
        `its maxSessionTimeout lets a session live ${this.link.sessionTimeoutMs} ms, which is good for leases of ${this.maxLeaseMs} ms: raise it, or lower maxLeaseMs`,
      );
    }
    this.#nodeCreated ??= this.#createNode();
    try {
      await this.#nodeCreated;
    } catch (error) {
      this.#nodeCreated = undefined;
      throw error;
    }
    return this;
  }

  /** A change that means nothing, but that it was made: it and all before it are confirmed by a majority. */
  async touch(): Promise<NodeStat> {
    try {
      return await this.link.write(this.node, NOTHING, -1);
    } catch (error) {
      if (!isFault(error, 'NO_NODE')) throw error;
      await this.#createNode();
      return this.link.write(this.node, NOTHING, -1);
    }
  }

  /**
   * Later reads are no older than any change that was sent before, including one without an answer.
   * Reading alone is not enough: the next server may lag behind the one that took the change.
   */
  async catchUp(): Promise<void> {
    const unanswered = this.#unanswered;
    if (unanswered === this.#resolved) return;
    await this.touch();
    this.#resolved = Math.max(this.#resolved, unanswered);
  }

  /** Executes all steps or none. Returns the number of the change and the results of the steps. */
  async multi(
    steps: readonly TransactionStep[],
  ): Promise<{ results: readonly StepResult[]; revision: number }> {
    const touch: TransactionStep = { kind: 'write', path: this.node, data: NOTHING, version: -1 };
    let results: readonly StepResult[];
    try {
      results = await this.#change([...steps, touch]);
    } catch (error) {
      if (!isFault(error, 'NO_NODE') || error.step !== steps.length) throw error;
      await this.#createNode();
      results = await this.#change([...steps, touch]);
    }
    const { stat } = results[steps.length] ?? {};
    if (stat === undefined) throw noAnswer('an answer without the number of the change');
    return { results, revision: stat.mzxid };
  }

  async #change(steps: readonly TransactionStep[]): Promise<readonly StepResult[]> {
    try {
      return await this.link.multi(steps);
    } catch (error) {
      if (!(error instanceof NodeFault) && mayHaveActed(error)) this.#unanswered += 1;
      throw error;
    }
  }

  async #createNode(): Promise<void> {
    const { link, node, paths } = this;
    try {
      await createIfMissing(link, node, 'ephemeral');
    } catch (error) {
      if (!isFault(error, 'NO_NODE')) throw error;
      for (const base of paths.bases) await createIfMissing(link, base, 'persistent');
      await createIfMissing(link, node, 'ephemeral');
    }
  }
}

export async function createIfMissing(
  link: ZooKeeperLink,
  path: string,
  mode: 'persistent' | 'ephemeral' | 'container',
): Promise<void> {
  try {
    await link.create(path, NOTHING, mode);
  } catch (error) {
    if (!isFault(error, 'NODE_EXISTS')) throw error;
  }
}
