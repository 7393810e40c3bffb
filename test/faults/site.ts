import { randomUUID } from 'node:crypto';
import { Bedrock, sleep, systemClock, type LockOptions, type Mutex } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import {
  checkHistory,
  ContenderProcess,
  HistoryRecorder,
  type Bounds,
  type ContenderJob,
  type HistoryEvent,
  type HistoryReport,
} from 'bedrock-testkit';
import { Redis } from 'ioredis';

/** Bound on every call to Redis, ms. */
export const OPERATION_MS = 300;
/** A release tries for one time-out, and one that was already under way may take another. */
export const BOUNDS: Bounds = { releaseMs: 2 * OPERATION_MS + 100 };

/** A Redis of its own, and those who contend on it: processes, and peers in this one. */
export class Site {
  readonly resource = `faults:${randomUUID()}`;
  readonly #events: HistoryEvent[] = [];
  readonly #processes: ContenderProcess[] = [];
  readonly #bedrocks: Bedrock[] = [];
  readonly #admin: Redis;

  private constructor(
    readonly server: RunningServer,
    readonly options: RedisOptions,
  ) {
    this.#admin = new Redis(server.url, { maxRetriesPerRequest: null });
    this.#admin.on('error', () => undefined);
  }

  static async open(options: Omit<RedisOptions, 'url'> = {}): Promise<Site> {
    const server = await startRedis();
    return new Site(server, { operationTimeoutMs: OPERATION_MS, ...options, url: server.url });
  }

  /** A contender in a process of its own; `url` leads through a proxy. */
  contender(job: Omit<ContenderJob, 'resource'>, url = this.server.url): ContenderProcess {
    const source = { module: 'bedrock-lock/redis', factory: 'redis', args: [{ ...this.options, url }] };
    const label = job.label ?? `p${this.#processes.length + 1}`;
    const one = new ContenderProcess(source, { ...job, resource: this.resource }, label);
    this.#processes.push(one);
    return one;
  }

  /** A contender in this process, whose history counts too. */
  async peer(label: string, lock: LockOptions = {}, url = this.server.url): Promise<Peer> {
    const bedrock = new Bedrock({ backend: redis({ ...this.options, url }), defaults: lock });
    this.#bedrocks.push(bedrock);
    const recorder = new HistoryRecorder(label, (event) => this.#events.push(event));
    recorder.follow(bedrock);
    await bedrock.ready();
    return new Peer(bedrock, bedrock.mutex(this.resource), recorder);
  }

  /** Any command, from a connection that no fault is aimed at. */
  async command(name: string, ...args: string[]): Promise<unknown> {
    return this.#admin.call(name, args);
  }

  /** Somebody is subscribed to the lock. */
  async isHeard(): Promise<boolean> {
    return ((await this.command('PUBSUB', 'CHANNELS', `*${this.resource}*`)) as string[]).length > 0;
  }

  /** Tells the history of something that this test did. */
  tell(event: HistoryEvent): void {
    this.#events.push(event);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.ended()));
  }

  get history(): HistoryEvent[] {
    return [...this.#events, ...this.#processes.flatMap(({ events }) => events)];
  }

  judge(bounds: Bounds = BOUNDS): HistoryReport {
    return checkHistory(this.history, bounds);
  }

  /** Keys about the resource; the documented permanent ones are not among them. */
  async leftovers(): Promise<string[]> {
    return this.#admin.keys(`*${this.resource}*`);
  }

  async close(): Promise<void> {
    this.server.resume();
    await Promise.all(this.#processes.map((one) => one.kill()));
    await Promise.all(this.#bedrocks.map((bedrock) => bedrock.close({ graceMs: 0 })));
    this.#admin.disconnect();
    await this.server.stop();
  }
}

export class Peer {
  constructor(
    readonly bedrock: Bedrock,
    readonly lock: Mutex,
    readonly recorder: HistoryRecorder,
  ) {}

  acquire(waitMs = 10_000) {
    return this.recorder.acquire(this.lock.resource, waitMs, () => this.lock.acquire({ waitMs }));
  }
}

/** For time that is the subject, and for faults that need some to do their harm. */
export function pass(ms: number): Promise<void> {
  return sleep(systemClock, ms);
}
