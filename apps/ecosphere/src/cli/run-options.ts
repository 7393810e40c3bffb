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

/** How a combination decides, and how it asks. */
export const STRATEGIES = ['leftmost', 'majority'] as const;
export const CONTENTIONS = ['parallelFirst', 'sequential'] as const;

/** What the command line asks for, checked and complete. A missing number means the scenario's own default. */
export interface RunOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly backend: BackendName;
  /** The server of the locks, several of them for a combination; without one what the environment names, else what is started. */
  readonly urls?: readonly string[];
  /** Servers that are started as the nodes of a combination. */
  readonly nodes?: number;
  readonly strategy?: (typeof STRATEGIES)[number];
  readonly contention?: (typeof CONTENTIONS)[number];
  /** A node is killed in the middle of the sale, and comes back empty. */
  readonly isChaotic?: boolean;
  /** False shows what happens without the lock. */
  readonly isLocked: boolean;
  readonly processes?: number;
  readonly buyers?: number;
  readonly purchases?: number;
  readonly stock?: number;
  readonly rounds?: number;
  readonly leaseMs?: number;
  readonly holdMs?: number;
  /** How many requests a scheme gets at once: an even number. */
  readonly requests?: number;
  /** The MariaDB or MySQL of the schemes; without it what the environment names, else one that is started. */
  readonly databaseUrl?: string;
}

/** What the command line can ask for. */
export type Command = { readonly kind: 'help' } | ({ readonly kind: 'run' } & RunOptions);
