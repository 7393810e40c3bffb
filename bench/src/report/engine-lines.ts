import { ENGINE_NAMES, type EngineName } from '../engines/engines.js';
import { CROWDED, FREE } from '../scenarios/engine-rows.js';
import type { ScenarioName } from '../scenarios/names.js';
import type { Row } from '../scenarios/run-scenario.js';
import type { ScenarioResult } from './report.js';

/** Bedrock on an engine in one of its scenarios, and the hand-made lock there. */
export interface Pair {
  readonly bedrock: Row;
  readonly raw: Row | undefined;
}

/** An engine, with its pair for each scenario that it took part in. */
export interface EngineLine {
  readonly engine: EngineName;
  readonly alone: Pair | undefined;
  readonly inProcess: Pair | undefined;
  readonly betweenProcesses: Pair | undefined;
}

/** The results of E1, E2 and E3, engine by engine; without engines that took part in none. */
export function engineLines(results: readonly ScenarioResult[]): EngineLine[] {
  const pairOf = (scenario: ScenarioName, engine: EngineName): Pair | undefined => {
    const rows = results.find((one) => one.scenario.name === scenario)?.rows ?? [];
    const bedrock = rows.find(({ library }) => library === `bedrock-${engine}`);
    const { rawOf } = scenario === 'E1' ? FREE : CROWDED;
    return bedrock && { bedrock, raw: rows.find(({ library }) => library === rawOf(bedrock.library)) };
  };
  return ENGINE_NAMES.map((engine) => ({
    engine,
    alone: pairOf('E1', engine),
    inProcess: pairOf('E2', engine),
    betweenProcesses: pairOf('E3', engine),
  })).filter(({ alone, inProcess, betweenProcesses }) => alone ?? inProcess ?? betweenProcesses);
}
