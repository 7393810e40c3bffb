import type { BedrockOptions, LockOptions } from 'bedrock-lock';

/** What one contending process does. */
export interface ContenderJob {
  readonly resource: string;
  /** Shown as the process in the history, and as the backend's label. Unique per crowd. @default p1, p2, … */
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
  /** A file with a number, which each body reads and, later, writes back plus one: it shows every lost update. */
  readonly counterFile?: string;
  /** The process dies, as by kill -9, while it holds the lock for the n-th time. @default never */
  readonly crashAt?: number;
}

/**
 * Which backend a contender uses: what `module` exports as `factory`, called with `args`. A bare name is looked up from
 * bedrock-testkit; give an absolute path or URL for a module of your own.
 */
export interface BackendSource {
  readonly module: string;
  readonly factory: string;
  readonly args: readonly unknown[];
}

export const JOB_DEFAULTS = { leaseMs: 2_000, waitMs: 20_000 } as const;
