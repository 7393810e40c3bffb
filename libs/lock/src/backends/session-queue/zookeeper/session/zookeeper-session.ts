import { classOf } from '../../session-class.js';
import type { LineSession } from '../../line-store.js';
import { UnsupportedByBackendError } from '../../../../core/errors.js';
import { mayHaveActed } from '../../../../core/unavailable.js';
import { BACKEND, unanswered } from '../connection/failures.js';
import {
  isFault,
  NodeFault,
  type NodeStat,
  type Step,
  type StepResult,
  type ZooKeeperLink,
} from '../connection/link.js';
import type { Paths } from './paths.js';

/** A session outlives the leases on it by half: a place is trusted for two thirds of the session since the last contact. */
const SESSION_PER_LEASE = 1.5;

const NOTHING = Buffer.alloc(0);

/** How long a session is asked for, for leases of this length. */
export function sessionMsFor(leaseMs: number, maxLeaseMs: number): number {
  return Math.ceil(classOf(leaseMs, maxLeaseMs) * SESSION_PER_LEASE);
}

/** A session with a node of its own: writing to it proves contact with the majority of the servers. */
export class ZooKeeperSession implements LineSession {
  isLost = false;
  /** Changes without an answer, and how many of them are settled. */
  #doubts = 0;
  #settled = 0;
  #prepared: Promise<void> | undefined;

  constructor(
    readonly link: ZooKeeperLink,
    private readonly paths: Paths,
    /** Its own node. */
    private readonly node: string,
  ) {}

  get coversMs(): number {
    return Math.floor(this.link.sessionTimeoutMs / SESSION_PER_LEASE);
  }

  /** Waits for the first contact, and makes its node. @throws where the server grants less than what was asked for */
  async whenReady(leaseMs: number, patienceMs: number): Promise<this> {
    await this.link.whenOpen(patienceMs);
    if (leaseMs > this.coversMs) {
      throw new UnsupportedByBackendError(
        BACKEND,
        `leases of ${leaseMs} ms`,
        `its maxSessionTimeout lets a session live ${this.link.sessionTimeoutMs} ms, which is good for leases of ${this.coversMs} ms: raise it, or lower maxLeaseMs`,
      );
    }
    this.#prepared ??= this.#prepare();
    try {
      await this.#prepared;
    } catch (error) {
      this.#prepared = undefined;
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
      await this.#prepare();
      return this.link.write(this.node, NOTHING, -1);
    }
  }

  /**
   * What is read behind this is no older than any change that was sent before, one without an answer included. Reading alone
   * does not tell: the next server may lag behind the one that took the change.
   */
  async catchUp(): Promise<void> {
    const doubts = this.#doubts;
    if (doubts === this.#settled) return;
    await this.touch();
    this.#settled = Math.max(this.#settled, doubts);
  }

  /** Does all steps or none, and gives the number of the change with what they brought. */
  async multi(steps: readonly Step[]): Promise<{ results: readonly StepResult[]; stamp: number }> {
    const touch: Step = { kind: 'write', path: this.node, data: NOTHING, version: -1 };
    let results: readonly StepResult[];
    try {
      results = await this.#change([...steps, touch]);
    } catch (error) {
      if (!isFault(error, 'NO_NODE') || error.step !== steps.length) throw error;
      await this.#prepare();
      results = await this.#change([...steps, touch]);
    }
    const { stat } = results[steps.length] ?? {};
    if (stat === undefined) throw unanswered('an answer without the number of the change');
    return { results, stamp: stat.mzxid };
  }

  async #change(steps: readonly Step[]): Promise<readonly StepResult[]> {
    try {
      return await this.link.multi(steps);
    } catch (error) {
      if (!(error instanceof NodeFault) && mayHaveActed(error)) this.#doubts += 1;
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    const { link, node, paths } = this;
    try {
      await createUnlessThere(link, node, 'ephemeral');
    } catch (error) {
      if (!isFault(error, 'NO_NODE')) throw error;
      for (const base of paths.bases) await createUnlessThere(link, base, 'persistent');
      await createUnlessThere(link, node, 'ephemeral');
    }
  }
}

export async function createUnlessThere(
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
