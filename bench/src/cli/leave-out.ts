import { buildJava } from '../jvm/build.js';
import { ENGINE_TITLES } from '../engines/engines.js';
import { engineOf, type LibraryName } from '../libraries/catalogue.js';
import type { BenchServers, Scenario } from '../scenarios/scenario.js';

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
  process.stderr.write(`bench: leaving out Redisson: ${reason}\n`);
  return plan.map(({ scenario, libraries }) => ({
    scenario,
    libraries: libraries.filter((library) => library !== 'redisson'),
  }));
}

/**
 * Who is left of a scenario when every engine that it needs was asked for. Where one cannot be had, its rows are left out, and
 * one line says why.
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

/** What is missing, and what to do: the first line and the last. */
function inOneLine(reason: string): string {
  const lines = reason.trim().split('\n');
  return [...new Set([lines[0]!.replace(/ Tried:$/, ''), lines.at(-1)!])].join(' ');
}
