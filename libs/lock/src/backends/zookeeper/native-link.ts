import { atMost } from '../../core/clock.js';
import { outsideOfCallers } from '../../core/context.js';
import type { BackendUnavailableError } from '../../core/errors.js';
import { failureOf } from './answers.js';
import type { LinkTarget } from './client-link.js';
import { notDone, unanswered } from './failures.js';
import {
  isFault,
  type NodeMode,
  type NodeStat,
  type Step,
  type StepResult,
  type ZooKeeperLink,
} from './link.js';
import { NativeSteps, type CreateStep } from './native-steps.js';
import type { NativeClient, NativeReply, NativeStat, NativeZooKeeper } from './native-types.js';
import { NativeWatches } from './native-watches.js';

const FLAGS: Readonly<Record<NodeMode, number>> = {
  ...{ persistent: 0, ephemeral: 1, ephemeralSequential: 3, container: 4 },
};
const EXPIRED = -112;
const REFUSED = -113;
const LEVEL_OF_ERRORS = 1;
/** The library closes itself after so many reads that brought nothing: never. */
const ANY_NUMBER = 2 ** 31 - 1;

/** A session over `zookeeper`, the client that is compiled. It notices silence by itself, and knows no transactions. */
export class NativeLink implements ZooKeeperLink {
  readonly #client: NativeClient;
  readonly #watches: NativeWatches;
  #state: 'new' | 'connected' | 'suspended' | 'expired' | 'refused' | 'closed' = 'new';
  #onOpen: (() => void) | undefined;
  readonly #opened: Promise<void>;
  readonly #steps = new NativeSteps({
    create: (step) => this.#create(step),
    remove: (path) => this.#send<void, []>((client, done) => client.a_delete_(path, -1, done), nothing),
    write: (path, data, version) => this.#write(path, data, version),
    find: (path) => this.#find(path),
  });

  constructor(
    private readonly target: LinkTarget,
    library: NativeZooKeeper,
  ) {
    const { clock, connect, sessionTimeoutMs } = target;
    this.#opened = new Promise((resolve) => (this.#onOpen = resolve));
    const config = {
      ...{ connect, timeout: sessionTimeoutMs, debug_level: LEVEL_OF_ERRORS },
      ...{ host_order_deterministic: false, response_counter_limit: ANY_NUMBER },
    };
    this.#client = new library(config);
    this.#watches = new NativeWatches(this.#client);
    this.#client.on('connect', () => this.#connected());
    this.#client.on('connecting', () => this.#disconnected());
    // Whoever hears of it opens another session at once, and must not do that inside of the library.
    this.#client.on('close', (_, code) => clock.afterPoll(() => this.#ended(code)));
    outsideOfCallers(() => this.#client.init(config));
  }

  get sessionTimeoutMs(): number {
    return this.#state === 'new' ? 0 : this.#client.timeout;
  }

  async whenOpen(ms: number): Promise<void> {
    await atMost(this.target.clock, ms, this.#opened);
    const problem = this.#problem();
    if (problem !== undefined) throw problem;
  }

  async create(path: string, data: Buffer, mode: NodeMode): Promise<void> {
    await this.#inTurn(() => this.#create({ kind: 'create', path, data, mode }));
  }

  remove(path: string): Promise<void> {
    return this.#inTurn(() =>
      this.#send<void, []>((client, done) => client.a_delete_(path, -1, done), nothing),
    );
  }

  write(path: string, data: Buffer, version: number): Promise<NodeStat> {
    return this.#inTurn(() => this.#write(path, data, version));
  }

  read(path: string, touched?: () => void): Promise<{ data: Buffer; stat: NodeStat }> {
    return this.#inTurn(() => this.#read(path, touched));
  }

  children(path: string, touched?: () => void): Promise<{ names: string[]; stat: NodeStat }> {
    return this.#inTurn(() =>
      this.#watched('children', path, touched, (watch) =>
        this.#send<{ names: string[]; stat: NodeStat }, [string[], NativeStat]>(
          (client, done) => client.a_get_children2(path, watch, done),
          (names, stat) => ({ names, stat: statOf(stat) }),
        ),
      ),
    );
  }

  exists(path: string, touched: () => void): Promise<boolean> {
    this.#watches.add('data', path, touched);
    const asking = this.#inTurn(() =>
      this.#send<boolean, []>(
        (client, done) => client.a_exists(path, true, done),
        () => true,
      ),
    );
    return asking.catch((error: unknown) => {
      // That there is none is an answer, and a watch that stands.
      if (isFault(error, 'NO_NODE')) return false;
      this.#watches.remove('data', path, touched);
      throw error;
    });
  }

  sync(path: string): Promise<void> {
    return this.#inTurn(() =>
      this.#send<void, [string]>((client, done) => client.a_sync(path, done), nothing),
    );
  }

  multi(steps: readonly Step[]): Promise<readonly StepResult[]> {
    return this.#inTurn(() => this.#steps.run(steps));
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    const hasEnded = this.#state === 'expired' || this.#state === 'refused';
    this.#state = 'closed';
    this.#onOpen?.();
    if (hasEnded) return;
    // Not from within one of its own callbacks.
    await new Promise<void>((resolve) => this.target.clock.afterPoll(resolve));
    this.#client.close();
  }

  #create({ path, data, mode }: CreateStep): Promise<string> {
    return this.#send<string, [string]>(
      (client, done) => client.a_create(path, data, FLAGS[mode], done),
      (made) => made,
    );
  }

  #write(path: string, data: Buffer, version: number): Promise<NodeStat> {
    return this.#send<NodeStat, [NativeStat]>(
      (client, done) => client.a_set(path, data, version, done),
      statOf,
    );
  }

  #read(path: string, touched?: () => void): Promise<{ data: Buffer; stat: NodeStat }> {
    return this.#watched('data', path, touched, (watch) =>
      this.#send<{ data: Buffer; stat: NodeStat }, [NativeStat, Buffer | null]>(
        (client, done) => client.a_get(path, watch, done),
        (stat, data) => ({ data: data ?? Buffer.alloc(0), stat: statOf(stat) }),
      ),
    );
  }

  async #find(path: string): Promise<{ data: Buffer; stat: NodeStat } | undefined> {
    try {
      return await this.#read(path);
    } catch (error) {
      if (isFault(error, 'NO_NODE')) return undefined;
      throw error;
    }
  }

  async #watched<T>(
    kind: 'data' | 'children',
    path: string,
    touched: (() => void) | undefined,
    ask: (watch: boolean) => Promise<T>,
  ): Promise<T> {
    if (touched === undefined) return ask(false);
    this.#watches.add(kind, path, touched);
    try {
      return await ask(true);
    } catch (error) {
      this.#watches.remove(kind, path, touched);
      throw error;
    }
  }

  /** What is in doubt is settled before anything else, and the order stays. */
  async #inTurn<T>(send: () => Promise<T>): Promise<T> {
    const settling = this.#steps.settled();
    if (settling !== undefined) await settling;
    return send();
  }

  /** Sends at once or not at all. */
  async #send<T, A extends unknown[]>(
    ask: (client: NativeClient, done: NativeReply<A>) => number,
    valueOf: (...answer: A) => T,
  ): Promise<T> {
    const problem = this.#problem();
    if (problem !== undefined) throw problem;
    const { clock, operationTimeoutMs, onSent } = this.target;
    onSent();
    const answer = new Promise<{ readonly value: T }>((resolve, reject) => {
      outsideOfCallers(() => {
        const refused = ask(this.#client, (code, message, ...rest) => {
          if (code === 0) resolve({ value: valueOf(...rest) });
          else reject(failureOf(code, 0, new Error(message)));
        });
        if (refused !== 0) reject(notDone('the client does not send', new Error(`code ${refused}`)));
      });
    });
    const inTime = await atMost(clock, operationTimeoutMs, answer);
    if (inTime === undefined) throw unanswered(`no answer within ${operationTimeoutMs} ms`);
    return inTime.value;
  }

  #problem(): BackendUnavailableError | undefined {
    if (this.#state === 'connected') return undefined;
    if (this.#state === 'expired') return notDone('the session has expired');
    if (this.#state === 'refused') return notDone('it does not accept the credentials');
    return notDone(this.#state === 'closed' ? 'it is closed' : 'there is no connection');
  }

  #connected(): void {
    if (this.#state === 'closed') return;
    const isFirst = this.#state === 'new';
    this.#state = 'connected';
    if (isFirst) this.#onOpen?.();
    else this.target.news.regained();
  }

  #disconnected(): void {
    if (this.#state !== 'connected') return;
    this.#state = 'suspended';
    this.target.news.suspended();
  }

  #ended(code: number): void {
    if (this.#state === 'closed') return;
    this.#state = code === REFUSED ? 'refused' : 'expired';
    this.#onOpen?.();
    if (code === EXPIRED) this.target.news.expired();
  }
}

function statOf({ mzxid, mtime, pzxid, version }: NativeStat): NodeStat {
  return { mzxid, mtimeMs: mtime.getTime(), pzxid, version };
}

function nothing(): void {}
