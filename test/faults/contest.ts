import { randomUUID } from 'node:crypto';
import { Bedrock, sleep, systemClock, type LockOptions, type Mutex } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import {
  checkHistory,
  ContenderProcess,
  HistoryRecorder,
  type Bounds,
  type ContenderJob,
  type HistoryEvent,
  type HistoryReport,
} from 'bedrock-testkit';

/** Bound on every call to Redis, ms. */
export const OPERATION_MS = 300;
/** A release tries for one time-out, and one that was already under way may take another. */
export const BOUNDS: Bounds = { releaseMs: 2 * OPERATION_MS + 100 };

/** Those who contend for one lock, processes and peers in this one, and what they have told. */
export class Contest {
  readonly resource: string;
  readonly options: RedisOptions;
  readonly #events: HistoryEvent[] = [];
  readonly #processes: ContenderProcess[] = [];
  readonly #bedrocks: Bedrock[] = [];

  /** @param options where the lock is; plain data, since other processes are given it too */
  constructor(options: RedisOptions, resource = `faults:${randomUUID()}`) {
    this.resource = resource;
    this.options = { operationTimeoutMs: OPERATION_MS, ...options };
  }

  /** A contender in a process of its own; `options` leads it elsewhere. */
  contender(job: Omit<ContenderJob, 'resource'>, options: RedisOptions = {}): ContenderProcess {
    const args = [{ ...this.options, ...options }];
    const source = { module: 'bedrock-lock/redis', factory: 'redis', args };
    const label = job.label ?? `p${this.#processes.length + 1}`;
    const one = new ContenderProcess(source, { ...job, resource: this.resource }, label);
    this.#processes.push(one);
    return one;
  }

  /** A contender in this process, whose history counts too. */
  async peer(label: string, lock: LockOptions = {}, options: RedisOptions = {}): Promise<Peer> {
    const bedrock = new Bedrock({ backend: redis({ ...this.options, ...options }), defaults: lock });
    this.#bedrocks.push(bedrock);
    const recorder = new HistoryRecorder(label, (event) => this.#events.push(event));
    recorder.follow(bedrock);
    await bedrock.ready();
    return new Peer(bedrock, bedrock.mutex(this.resource), recorder);
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

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.kill()));
    await Promise.all(this.#bedrocks.map((bedrock) => bedrock.close({ graceMs: 0 })));
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
