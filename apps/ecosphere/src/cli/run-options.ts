import { ENGINE_NAMES } from '../server/run-servers.js';

/** Every scenario, in the order in which `--scenario all` runs them. */
export const SCENARIO_NAMES = [
  'flash-sale',
  'lock-time',
  'contention',
  'lock-delay',
  'stages',
  'schemes',
] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export const BACKEND_NAMES = ['memory', 'redis', 'combination', ...ENGINE_NAMES] as const;
export type BackendName = (typeof BACKEND_NAMES)[number];

/** How a combination decides, and how it sends its requests. */
export const STRATEGIES = ['leftmost', 'majority'] as const;
export const CONTENTIONS = ['parallelFirst', 'sequential'] as const;

/** The checked and complete command line. A missing number means the scenario's own default. */
export interface RunOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly backend: BackendName;
  /** The servers of the locks, several for a combination. @default the environment's server, or a started one */
  readonly urls?: readonly string[];
  /** Number of servers to start as the nodes of a combination. */
  readonly nodes?: number;
  readonly strategy?: (typeof STRATEGIES)[number];
  readonly contention?: (typeof CONTENTIONS)[number];
  /** True to kill a node in the middle of the sale, and restart it empty. */
  readonly isChaotic?: boolean;
  /** False shows the effect of a missing lock. */
  readonly isLocked: boolean;
  /** The port of the first process that serves metrics, and for how many seconds after the sale. */
  readonly telemetry?: { readonly port: number; readonly lingerS: number };
  readonly processes?: number;
  readonly buyers?: number;
  readonly purchases?: number;
  readonly stock?: number;
  readonly rounds?: number;
  readonly leaseMs?: number;
  /** Longest request for a lock, in ms; in a combination, to a node. */
  readonly operationTimeoutMs?: number;
  readonly holdMs?: number;
  /** How many concurrent requests a scheme gets: an even number. */
  readonly requests?: number;
  /** The MariaDB or MySQL of the schemes. @default the environment's server, or a started one */
  readonly databaseUrl?: string;
}

/** The commands of the command line. */
export type Command = { readonly kind: 'help' } | ({ readonly kind: 'run' } & RunOptions);
