import { buildJava } from '../jvm/build.js';
import { ENGINE_TITLES } from '../engines/engines.js';
import { engineOf, type LibraryName } from '../libraries/catalogue.js';
import type { BenchServers, Scenario } from '../scenarios/scenario.js';

/** A scenario and its participants. */
export interface Planned {
  readonly scenario: Scenario;
  readonly libraries: readonly LibraryName[];
}

/** Removes Redisson from a plan if it cannot run here, and prints the reason in one line: only Redisson needs a JVM. */
export async function leaveOutMissing(plan: readonly Planned[]): Promise<readonly Planned[]> {
  if (!plan.some(({ libraries }) => libraries.includes('redisson'))) return plan;
  const reason = await buildJava();
  if (reason === undefined) return plan;
  process.stderr.write(`bench: leaving out Redisson: ${reason}\n`);
  return plan.map(({ scenario, libraries }) => ({
    scenario,
    libraries: libraries.filter((library) => library !== 'redisson'),
  }));
}

/**
 * The remaining participants of a scenario, after a request to every engine that it needs. If an engine is unavailable,
 * its rows are omitted, and one line gives the reason.
 */
export async function leaveOutEngines(
  { scenario, libraries }: Planned,
  engines: Pick<BenchServers, 'urlOf'>,
): Promise<readonly LibraryName[]> {
  const missing = new Set<string>();
  for (const engine of new Set(libraries.map(engineOf))) {
    try {
      await engines.urlOf(engine);
    } catch (error) {
      missing.add(engine);
      const reason = inOneLine(error instanceof Error ? error.message : String(error));
      process.stderr.write(`bench: ${scenario.name} without ${ENGINE_TITLES[engine]}: ${reason}\n`);
    }
  }
  return libraries.filter((library) => !missing.has(engineOf(library)));
}

/** The problem and the advice: the first line and the last. */
function inOneLine(reason: string): string {
  const lines = reason.trim().split('\n');
  return [...new Set([lines[0]!.replace(/ Tried:$/, ''), lines.at(-1)!])].join(' ');
}
