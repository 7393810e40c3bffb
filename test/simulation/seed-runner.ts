import type { BackendName, Scenario } from './world/scenario.js';
import { simulate, type Outcome } from './world/simulate.js';
import type { Trace } from './world/world.js';

/** A seed that broke a promise. */
export interface Failure {
  readonly seed: number;
  readonly violations: readonly string[];
}

/** What some seeds have come to. */
export interface Tally {
  readonly seeds: number;
  readonly leases: number;
  readonly events: number;
  readonly failures: readonly Failure[];
}

export interface Job {
  readonly from: number;
  readonly seeds: number;
  /** Every so many seeds, so that workers share them evenly. */
  readonly step: number;
  readonly backend: BackendName | undefined;
}

/** Runs seeds one after the other. @param onSeed called after each */
export async function runSeeds(
  { from, seeds, step, backend }: Job,
  onSeed: (outcome: Outcome) => void = () => undefined,
  trace?: Trace,
): Promise<Tally> {
  const tally = { seeds: 0, leases: 0, events: 0, failures: [] as Failure[] };
  for (let seed = from; seed < from + seeds; seed += step) {
    const outcome = await runSeed(seed, backend, trace);
    const { leases, events, violations } = outcome;
    tally.seeds += 1;
    tally.leases += leases;
    tally.events += events;
    if (violations.length > 0) tally.failures.push({ seed, violations });
    onSeed(outcome);
  }
  return tally;
}

/**
 * Runs one seed. An unhandled rejection is a violation too, as is an error of the world itself.
 * @param overrides instead of those that the seed draws
 */
export async function runSeed(
  seed: number,
  backend: BackendName | undefined,
  trace?: Trace,
  overrides: Partial<Scenario> = {},
): Promise<Outcome> {
  const unhandled: string[] = [];
  const note = (reason: unknown): void =>
    void unhandled.push(`unhandled rejection: ${String((reason as Error | undefined)?.stack ?? reason)}`);
  process.on('unhandledRejection', note);
  try {
    const outcome = await simulate(seed, trace, { ...overrides, ...(backend !== undefined && { backend }) });
    return { ...outcome, violations: [...unhandled, ...outcome.violations] };
  } catch (error) {
    return { seed, leases: 0, events: 0, violations: [`the world broke: ${String((error as Error).stack)}`] };
  } finally {
    process.off('unhandledRejection', note);
  }
}
