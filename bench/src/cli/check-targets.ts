import type { ScenarioResult } from '../report/report.js';
import { verdictLine } from '../report/scenario-section.js';
import { verdictsOf } from '../report/verdict.js';
import { EXIT, type ExitCode } from './command.js';

/** Prints missed targets to the standard error, a line for each, and returns the exit code. */
export function checkTargets(results: readonly ScenarioResult[]): ExitCode {
  const missed = results.flatMap(({ scenario, rows }) =>
    verdictsOf(scenario.targets, rows)
      .filter(({ isReached }) => !isReached)
      .map((verdict) => `${scenario.name}: ${verdictLine(verdict, scenario)}\n`),
  );
  process.stderr.write(missed.join(''));
  return missed.length === 0 ? EXIT.done : EXIT.missed;
}
