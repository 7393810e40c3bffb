import { randomUuid, type Clock } from '../../../../core/clock.js';
import { LockTypeMismatchError } from '../../../../core/errors.js';
import { notExecuted } from '../connection/failures.js';
import { isFault, type TransactionStep } from '../connection/link.js';
import { COUNT_NODE, type ZooKeeperPaths } from '../session/zookeeper-paths.js';
import { createIfMissing, type ZooKeeperSession } from '../session/zookeeper-session.js';
import { CountState } from './count-state.js';

/**
 * A node that others make or remove at this very moment is read again. More often than this is no
 * coincidence.
 */
const TRIES = 5;

/** What was found under a name. */
export interface CountSnapshot {
  readonly resource: string;
  readonly state: CountState;
  readonly session: ZooKeeperSession;
  /** The node and its version; undefined where there is no number. */
  readonly node: { readonly path: string; readonly version: number } | undefined;
  /** The leader's clock, in epoch ms; 0 where it was not asked. */
  readonly nowMs: number;
}

/**
 * Numbers as nodes. Each has a random name of its own below `count`, and comes and goes with that
 * in one step. Versions begin anew with every node. So a late write must not find an equal version
 * on another node.
 */
export class CountNodes {
  readonly #knownPaths = new Map<string, string>();

  constructor(
    private readonly paths: ZooKeeperPaths,
    private readonly clock: Clock,
    readonly session: () => Promise<ZooKeeperSession>,
  ) {}

  /** @throws LockTypeMismatchError where a lock is in use under this name */
  async snapshot(resource: string, asks: 'number' | 'numberAndTime'): Promise<CountSnapshot> {
    const session = await this.session();
    const queue = this.paths.queue(resource);
    for (let tries = 1; tries <= TRIES; tries += 1) {
      // Behind either, nothing that is read is older than this question.
      const catchingUp = asks === 'number' ? session.link.sync(queue) : session.touch();
      const listing = unlessGone(session.link.children(queue));
      const reading = this.read(resource, session);
      const [caughtUp, list, read] = await Promise.allSettled([catchingUp, listing, reading]);
      if (caughtUp.status === 'rejected') throw caughtUp.reason;
      if (list.status === 'rejected') throw list.reason;
      if (list.value?.names.some((name) => name !== COUNT_NODE))
        throw new LockTypeMismatchError(resource, 'a lock');
      if (read.status === 'rejected') throw read.reason;
      if (read.value === 'moved') continue;
      const nowMs = caughtUp.value?.mtimeMs ?? 0;
      const { state, node } = read.value ?? { state: new CountState(resource), node: undefined };
      return { resource, state, session, node, nowMs };
    }
    throw notExecuted('the number comes and goes, again and again');
  }

  /** The number alone; undefined where there is none, 'moved' where it must be looked for again. */
  async read(
    resource: string,
    { link }: ZooKeeperSession,
    onChange?: () => void,
  ): Promise<Pick<CountSnapshot, 'state' | 'node'> | 'moved' | undefined> {
    let path = this.#knownPaths.get(resource);
    if (path === undefined) {
      const count = this.paths.count(resource);
      const name = (await unlessGone(link.children(count)))?.names[0];
      if (name === undefined) return undefined;
      path = `${count}/${name}`;
    }
    const found = await unlessGone(link.read(path, onChange));
    if (found === undefined) {
      this.#knownPaths.delete(resource);
      return 'moved';
    }
    this.#knownPaths.set(resource, path);
    const { version } = found.stat;
    return { state: CountState.parse(resource, found.data), node: { path, version } };
  }

  /** Writes a state back, or removes an ended one. False, with nothing done, when another process was faster. */
  async write({ resource, session, node, state }: CountSnapshot): Promise<boolean> {
    try {
      if (node === undefined) return state.isEmpty || (await this.#create(resource, session, state));
      if (state.isEmpty) await this.#remove(resource, session, node);
      else await session.link.write(node.path, state.encode(), node.version);
      return true;
    } catch (error) {
      for (const code of ['NO_NODE', 'BAD_VERSION', 'NODE_EXISTS', 'NOT_EMPTY'] as const)
        if (isFault(error, code)) return false;
      throw error;
    }
  }

  async #create(resource: string, session: ZooKeeperSession, state: CountState): Promise<boolean> {
    const { paths, clock } = this;
    const count = paths.count(resource);
    const path = `${count}/${randomUuid(clock)}`;
    const steps: TransactionStep[] = [
      { kind: 'create', path: count, data: Buffer.alloc(0), mode: 'persistent' },
      { kind: 'create', path, data: state.encode(), mode: 'persistent' },
    ];
    const creatingQueue = createIfMissing(session.link, paths.queue(resource), 'container');
    const [queueCreation, creation] = await Promise.allSettled([creatingQueue, session.link.multi(steps)]);
    if (creation.status === 'fulfilled') {
      this.#knownPaths.set(resource, path);
      return true;
    }
    if (queueCreation.status === 'rejected' && isFault(queueCreation.reason, 'NO_NODE'))
      for (const base of paths.bases) await createIfMissing(session.link, base, 'persistent');
    throw creation.reason;
  }

  async #remove(
    resource: string,
    { link }: ZooKeeperSession,
    { path, version }: NonNullable<CountSnapshot['node']>,
  ): Promise<void> {
    const removing = link.multi([
      { kind: 'remove', path, version },
      { kind: 'remove', path: this.paths.count(resource), version: -1 },
    ]);
    // The queue is the server's to remove, sooner or later, where this does not.
    link.remove(this.paths.queue(resource)).catch(() => undefined);
    await removing;
    this.#knownPaths.delete(resource);
  }
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isFault(error, 'NO_NODE')) return undefined;
    throw error;
  }
}
