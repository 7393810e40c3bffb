import type { BedrockOptions, Lease, LockOptions } from 'bedrock-lock';

/** The mutexes of a Bedrock, by how they are made. */
export type MutexVariant = 'mutex' | 'fairMutex';

/** How a contender uses a semaphore. */
export interface PermitJob {
  /** Permits that there are, as this process states it. */
  readonly of: number;
  /** How many each call takes; a pair is a random number between the two. @default 1 */
  readonly take?: number | readonly [least: number, most: number];
}

/** How a contender uses a read-write lock. */
export interface ReadWriteJob {
  /** How many of its acquisitions write, from 0 to 1, at random; the others read. */
  readonly writes: number;
}

/** How the machine of a contender sleeps: its monotonic clock and its timers stand still, and the wall clock goes on. */
export interface NapJob {
  readonly times: number;
  /** How long, ms; a pair is a random time between the two. */
  readonly ms: number | readonly [least: number, most: number];
  /** Time awake before each, ms. */
  readonly everyMs: number;
}

/** What one contending process does. */
export interface ContenderJob {
  readonly resource: string;
  /** Several of them: each acquisition is of one, at random. @default the one of `resource` */
  readonly resources?: readonly string[];
  /** How the lock is made. @default 'mutex' */
  readonly kind?: MutexVariant;
  /** Permits of a semaphore instead of a mutex. */
  readonly permits?: PermitJob;
  /** A read-write lock instead of a mutex. */
  readonly readWrite?: ReadWriteJob;
  /** Shown as the process in the history, and as the backend's label. Unique per run. @default p1, p2, … */
  readonly label?: string;
  /** Callers that contend at the same time. @default 1 */
  readonly tasks?: number;
  /** Acquisitions per task. @default 1 */
  readonly cycles?: number;
  /** Tasks go on for this long, ms, however many acquisitions that makes. @default as long as `cycles` says */
  readonly forMs?: number;
  /** Time inside the lock, ms; a pair is a random time between the two. @default 0 */
  readonly bodyMs?: number | readonly [least: number, most: number];
  /** A body looks at its lease this often, ms. @default once at the beginning and once at the end */
  readonly sampleMs?: number;
  /** Pause between two acquisitions of a task, ms. @default 0 */
  readonly restMs?: number;
  /** Options of the lock. @default leaseMs 2000, waitMs 20000 */
  readonly lock?: LockOptions;
  readonly handOver?: BedrockOptions['handOver'];
  /** A file with a number, which each body, but that of a reader, reads and later writes back plus one: it shows lost updates. */
  readonly counterFile?: string;
  /** What is done inside the lock, before `bodyMs` begins: a factory of `ContenderBody`. */
  readonly body?: ModuleSource;
  /** Its machine sleeps now and then. Not for peers that share a process. */
  readonly naps?: NapJob;
  /** The process dies, as by kill -9, while it holds the lock for the n-th time. @default never */
  readonly crashAt?: number;
}

/**
 * Something that another process makes for itself: what `module` exports as `factory`, called with `args`. A bare name is
 * looked up from bedrock-testkit; give an absolute path or URL for a module of your own.
 */
export interface ModuleSource {
  readonly module: string;
  readonly factory: string;
  readonly args: readonly unknown[];
}

/** Which backend a contender uses. */
export type BackendModule = ModuleSource;

/** Work of a test's own inside the lock. When it rejects, the contender's process fails. */
export interface ContenderBody {
  work(lease: Lease): Promise<void>;
  close(): Promise<void>;
}

export const JOB_DEFAULTS = { leaseMs: 2_000, waitMs: 20_000 } as const;
