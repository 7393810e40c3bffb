/** Every scenario, in the order in which `--scenario all` runs them. */
export const SCENARIO_NAMES = ['flash-sale', 'lock-time', 'contention', 'lock-delay', 'stages'] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

export const BACKEND_NAMES = ['memory', 'redis'] as const;
export type BackendName = (typeof BACKEND_NAMES)[number];

/** What the command line asks for, checked and complete. A missing number means the scenario's own default. */
export interface RunOptions {
  readonly scenarios: readonly ScenarioName[];
  readonly backend: BackendName;
  /** Redis server to use; without it REDIS_URL, else one that is started for the run. */
  readonly url?: string;
  /** False shows what happens without the lock. */
  readonly isLocked: boolean;
  readonly processes?: number;
  readonly buyers?: number;
  readonly purchases?: number;
  readonly stock?: number;
  readonly rounds?: number;
  readonly leaseMs?: number;
  readonly holdMs?: number;
}

/** What the command line can ask for. */
export type Command = { readonly kind: 'help' } | ({ readonly kind: 'run' } & RunOptions);
