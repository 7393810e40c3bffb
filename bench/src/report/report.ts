import type { Row } from '../scenarios/run-scenario.js';
import type { Scenario } from '../scenarios/scenario.js';
import type { Machine } from './machine.js';

/** A scenario and its results. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly rows: readonly Row[];
}

/** All results of a run. */
export interface Report {
  readonly machine: Machine;
  readonly results: readonly ScenarioResult[];
  /** The started engines, each with its version and that of its client. */
  readonly engines: readonly string[];
}
