import type { BedrockOptions, Lease, LockOptions } from 'bedrock-lock';

/** The mutexes of a Bedrock, by the method that creates them. */
export type MutexVariant = 'mutex' | 'fairMutex';

/** How a contender uses a semaphore. */
export interface PermitJob {
  /** Number of permits, as this process states it. */
  readonly of: number;
  /** Permits per call; a pair is a random number between the two. @default 1 */
  readonly take?: number | readonly [least: number, most: number];
}

/** How a contender uses a read-write lock. */
export interface ReadWriteJob {
  /** Share of acquisitions that write, from 0 to 1, at random; the others read. */
  readonly writes: number;
}

/** Sleep of a contender's machine: its monotonic clock and its timers stop, and the wall clock continues. */
export interface NapJob {
  readonly times: number;
  /** Duration, in ms; a pair is a random time between the two. */
  readonly ms: number | readonly [least: number, most: number];
  /** Time awake before each sleep, in ms. */
  readonly everyMs: number;
}

/** The work of one contending process. */
export interface ContenderJob {
  readonly resource: string;
  /** Several resources: each acquisition picks one at random. @default the one of `resource` */
  readonly resources?: readonly string[];
  /** Method that creates the lock. @default 'mutex' */
  readonly kind?: MutexVariant;
  /** Permits of a semaphore instead of a mutex. */
  readonly permits?: PermitJob;
  /** A read-write lock instead of a mutex. */
  readonly readWrite?: ReadWriteJob;
  /** The process in the history, and the backend's label. Unique per run. @default p1, p2, … */
  readonly label?: string;
  /** Callers that contend at the same time. @default 1 */
  readonly tasks?: number;
  /** Acquisitions per task. @default 1 */
  readonly cycles?: number;
  /** How long the tasks run, in ms, whatever the number of acquisitions. @default as long as `cycles` takes */
  readonly forMs?: number;
  /** Time inside the lock, in ms; a pair is a random time between the two. @default 0 */
  readonly bodyMs?: number | readonly [least: number, most: number];
  /** Interval at which a body checks its lease, in ms. @default once at the beginning and once at the end */
  readonly sampleMs?: number;
  /** Pause between two acquisitions of a task, in ms. @default 0 */
  readonly restMs?: number;
  /** Options of the lock. @default leaseMs 2000, waitMs 20000 */
  readonly lock?: LockOptions;
  readonly handOver?: BedrockOptions['handOver'];
  /** A file with a number. Each writing body reads it and later writes it back plus one, so lost updates show. */
  readonly counterFile?: string;
  /** Work inside the lock, before `bodyMs` begins: a factory of `ContenderBody`. */
  readonly body?: ModuleSource;
  /** Sleeps of its machine. Not for peers that share a process. */
  readonly naps?: NapJob;
  /** The process dies, as by kill -9, during its n-th hold of the lock. @default never */
  readonly crashAt?: number;
}

/**
 * An object that another process creates: the export `factory` of `module`, called with `args`. A bare name is resolved
 * from bedrock-testkit; pass an absolute path or URL for a module of your own.
 */
export interface ModuleSource {
  readonly module: string;
  readonly factory: string;
  readonly args: readonly unknown[];
}

/** The backend of a contender. */
export type BackendModule = ModuleSource;

/** A test's own work inside the lock. If it rejects, the contender's process fails. */
export interface ContenderBody {
  work(lease: Lease): Promise<void>;
  close(): Promise<void>;
}

/** Options where no lease may be lost, though the machine may stop a process for seconds. */
export const UNHURRIED = { leaseMs: 20_000 } as const;

export const JOB_DEFAULTS = { leaseMs: 2_000, waitMs: 20_000 } as const;
