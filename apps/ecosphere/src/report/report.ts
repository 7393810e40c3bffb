import type { Row, TableOptions } from './table.js';

/** A promise of the scenario, and whether the run kept it. */
export interface Check {
  readonly isMet: boolean;
  /** The observation, in words that fit either result. */
  readonly text: string;
}

export interface Section extends TableOptions {
  readonly rows: readonly Row[];
}

/** Result of a scenario. {@link printReport} prints it, and the checks determine the exit code. */
export interface Report {
  readonly sections: readonly Section[];
  readonly checks: readonly Check[];
  /** Lines that explain more than the figures. */
  readonly notes?: readonly string[];
  /** The last line: one form per scenario, for scripts. */
  readonly verdict: string;
}

export function isKept(report: Report): boolean {
  return report.checks.every(({ isMet }) => isMet);
}
