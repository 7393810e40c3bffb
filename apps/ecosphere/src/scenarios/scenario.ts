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
  /** Nodes of a combination started for this run, from left to right; never nodes of another user. */
  readonly nodes: readonly StartedNode[];
  readonly terminal: Terminal;
}

/** Prints its description, runs, and returns its observations. */
export type Scenario = (context: ScenarioContext) => Promise<Report>;
