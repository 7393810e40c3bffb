import type { RunOptions } from '../cli/run-options.js';
import type { Report } from '../report/report.js';
import type { Terminal } from '../report/terminal.js';
import type { Ground } from '../server/ground.js';

export interface ScenarioContext {
  readonly options: RunOptions;
  readonly ground: Ground;
  /** The ground in words. */
  readonly groundLabel: string;
  readonly terminal: Terminal;
}

/** Prints what it runs, runs it, and gives back what it saw. */
export type Scenario = (context: ScenarioContext) => Promise<Report>;
