import { buildJava } from '../jvm/build.js';
import type { LibraryName } from '../libraries/catalogue.js';
import type { Scenario } from '../scenarios/scenario.js';

/** A scenario, and who takes part in it. */
export interface Planned {
  readonly scenario: Scenario;
  readonly libraries: readonly LibraryName[];
}

/** Takes Redisson out of a plan when it cannot run here, and says why in one line: it is the only one that needs a JVM. */
export async function leaveOutMissing(plan: readonly Planned[]): Promise<readonly Planned[]> {
  if (!plan.some(({ libraries }) => libraries.includes('redisson'))) return plan;
  const reason = await buildJava();
  if (reason === undefined) return plan;
  process.stderr.write(`bench: Redisson is left out: ${reason}\n`);
  return plan.map(({ scenario, libraries }) => ({
    scenario,
    libraries: libraries.filter((library) => library !== 'redisson'),
  }));
}
