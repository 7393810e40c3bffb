import type { Row } from '../scenarios/run-scenario.js';
import type { Scenario } from '../scenarios/scenario.js';
import type { Machine } from './machine.js';

/** A scenario that was run. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly rows: readonly Row[];
}

/** All that a run came to. */
export interface Report {
  readonly machine: Machine;
  readonly results: readonly ScenarioResult[];
  /** The engines that were started, each with its version and that of its client. */
  readonly engines: readonly string[];
}
