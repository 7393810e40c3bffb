import type { RunOptions } from '../cli/run-options.js';
import type { Report } from '../report/report.js';
import type { Terminal } from '../report/terminal.js';
import type { RunServers } from '../server/run-servers.js';
import type { StartedNode } from '../server/start-nodes.js';

export interface ScenarioContext {
  readonly options: RunOptions;
  readonly servers: RunServers;
  /** The servers in words. */
  readonly serversLabel: string;
  /** The nodes of a combination that were started for this run, from left to right; none of anybody else. */
  readonly nodes: readonly StartedNode[];
  readonly terminal: Terminal;
}

/** Prints what it runs, runs it, and gives back what it saw. */
export type Scenario = (context: ScenarioContext) => Promise<Report>;
