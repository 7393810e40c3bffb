import { randomUUID } from 'node:crypto';
import { Bedrock, type LockOptions, type Mutex } from 'bedrock-lock';
import { redis, type RedisOptions } from 'bedrock-lock/redis';
import {
  assertHistory,
  ContenderProcess,
  HistoryRecorder,
  sharedNow,
  type HistoryLimits,
  type ContenderJob,
  type HistoryEvent,
  type HistoryReport,
} from 'bedrock-testkit';
import { connect } from './connect.mjs';

export { delay } from './combination/delay.js';

/** Bound on every call to Redis, ms. */
export const OPERATION_MS = 300;
/** A release tries for one time-out, and a release already in flight may take another. */
export const BOUNDS: HistoryLimits = { releaseMs: 2 * OPERATION_MS + 100 };

const BACKENDS = new URL('engines/backend-of.mjs', import.meta.url).href;

export type Job = Omit<ContenderJob, 'resource'>;

/** Contenders continue until they get the command to finish. */
export const UNTIL_FINISHED = { cycles: Number.MAX_SAFE_INTEGER } as const;

/** The contenders for one lock, processes and peers in this one, with the events that they reported. */
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
  contender(job: Job, options: RedisOptions = {}): ContenderProcess {
    const args = ['redis', { ...this.options, ...options }];
    const source = { module: BACKENDS, factory: 'backendOf', args };
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
    await connect(bedrock);
    return new Peer(bedrock, bedrock.mutex(this.resource), recorder);
  }

  /** Tells the history of something that this test did. */
  tell(event: HistoryEvent): void {
    this.#events.push(event);
  }

  /** All of them end after the turns that they are in. */
  async finish(): Promise<void> {
    for (const one of this.#processes) one.finish();
    await this.ended();
  }

  async ended(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.ended()));
  }

  get history(): HistoryEvent[] {
    return [...this.#events, ...this.#processes.flatMap(({ events }) => events)];
  }

  /** @throws AssertionError when a promise was broken */
  judge(bounds: HistoryLimits = BOUNDS): HistoryReport {
    return assertHistory(this.history, bounds);
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

/** Resolves when each of them has got the lock so many times from now on. */
export async function goOn(contenders: readonly ContenderProcess[], turns = 1): Promise<void> {
  const now = sharedNow();
  const goesOn = async (one: ContenderProcess): Promise<void> => {
    let seenAt = now;
    for (let i = 0; i < turns; i += 1) seenAt = (await one.until('acquired', ({ at }) => at > seenAt)).at;
  };
  await Promise.all(contenders.map(goesOn));
}
