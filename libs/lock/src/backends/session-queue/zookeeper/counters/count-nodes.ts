import { randomUuid, type Clock } from '../../../../core/clock.js';
import { LockTypeMismatchError } from '../../../../core/errors.js';
import { notDone } from '../connection/failures.js';
import { isFault, type Step } from '../connection/link.js';
import { COUNT, type Paths } from '../session/paths.js';
import { createUnlessThere, type ZooKeeperSession } from '../session/zookeeper-session.js';
import { CountState } from './count-state.js';

/** What others make or remove in this very moment is looked for again; more often is no chance. */
const TRIES = 5;

/** What was found under a name. */
export interface Look {
  readonly resource: string;
  readonly state: CountState;
  readonly session: ZooKeeperSession;
  /** Its node and that one's version; undefined where there is no number. */
  readonly node: { readonly at: string; readonly version: number } | undefined;
  /** The leader's clock, in epoch ms; 0 where it was not asked. */
  readonly nowMs: number;
}

/**
 * Numbers as nodes. Each has a random name of its own below `count`, and comes and goes with that in one step: versions begin
 * anew with every node, and a late write must not meet a version that it takes for the one it was meant for.
 */
export class CountNodes {
  readonly #known = new Map<string, string>();

  constructor(
    private readonly paths: Paths,
    private readonly clock: Clock,
    readonly session: () => Promise<ZooKeeperSession>,
  ) {}

  /** @throws LockTypeMismatchError where a lock is in use under this name */
  async look(resource: string, asks: 'number' | 'numberAndTime'): Promise<Look> {
    const session = await this.session();
    const line = this.paths.line(resource);
    for (let tries = 1; tries <= TRIES; tries += 1) {
      // Behind either, nothing that is read is older than this question.
      const catchingUp = asks === 'number' ? session.link.sync(line) : session.touch();
      const listing = unlessGone(session.link.children(line));
      const reading = this.read(resource, session);
      const [caughtUp, list, read] = await Promise.allSettled([catchingUp, listing, reading]);
      if (caughtUp.status === 'rejected') throw caughtUp.reason;
      if (list.status === 'rejected') throw list.reason;
      if (list.value?.names.some((name) => name !== COUNT))
        throw new LockTypeMismatchError(resource, 'a lock');
      if (read.status === 'rejected') throw read.reason;
      if (read.value === 'moved') continue;
      const nowMs = caughtUp.value?.mtimeMs ?? 0;
      const { state, node } = read.value ?? { state: new CountState(resource), node: undefined };
      return { resource, state, session, node, nowMs };
    }
    throw notDone('the number comes and goes, again and again');
  }

  /** The number alone; undefined where there is none, 'moved' where it must be looked for again. */
  async read(
    resource: string,
    { link }: ZooKeeperSession,
    touched?: () => void,
  ): Promise<Pick<Look, 'state' | 'node'> | 'moved' | undefined> {
    let at = this.#known.get(resource);
    if (at === undefined) {
      const count = this.paths.count(resource);
      const name = (await unlessGone(link.children(count)))?.names[0];
      if (name === undefined) return undefined;
      at = `${count}/${name}`;
    }
    const found = await unlessGone(link.read(at, touched));
    if (found === undefined) {
      this.#known.delete(resource);
      return 'moved';
    }
    this.#known.set(resource, at);
    const { version } = found.stat;
    return { state: CountState.parse(resource, found.data), node: { at, version } };
  }

  /** Writes a state back, or removes what is over. False when somebody else was faster, and nothing was done. */
  async write({ resource, session, node, state }: Look): Promise<boolean> {
    try {
      if (node === undefined) return state.isOver || (await this.#make(resource, session, state));
      if (state.isOver) await this.#remove(resource, session, node);
      else await session.link.write(node.at, state.encode(), node.version);
      return true;
    } catch (error) {
      for (const code of ['NO_NODE', 'BAD_VERSION', 'NODE_EXISTS', 'NOT_EMPTY'] as const)
        if (isFault(error, code)) return false;
      throw error;
    }
  }

  async #make(resource: string, session: ZooKeeperSession, state: CountState): Promise<boolean> {
    const { paths, clock } = this;
    const count = paths.count(resource);
    const at = `${count}/${randomUuid(clock)}`;
    const steps: Step[] = [
      { kind: 'create', path: count, data: Buffer.alloc(0), mode: 'persistent' },
      { kind: 'create', path: at, data: state.encode(), mode: 'persistent' },
    ];
    const lining = createUnlessThere(session.link, paths.line(resource), 'container');
    const [lined, made] = await Promise.allSettled([lining, session.link.multi(steps)]);
    if (made.status === 'fulfilled') {
      this.#known.set(resource, at);
      return true;
    }
    if (lined.status === 'rejected' && isFault(lined.reason, 'NO_NODE'))
      for (const base of paths.bases) await createUnlessThere(session.link, base, 'persistent');
    throw made.reason;
  }

  async #remove(
    resource: string,
    { link }: ZooKeeperSession,
    { at, version }: NonNullable<Look['node']>,
  ): Promise<void> {
    const removing = link.multi([
      { kind: 'remove', path: at, version },
      { kind: 'remove', path: this.paths.count(resource), version: -1 },
    ]);
    // The line is the server's to remove, sooner or later, where this does not.
    link.remove(this.paths.line(resource)).catch(() => undefined);
    await removing;
    this.#known.delete(resource);
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
