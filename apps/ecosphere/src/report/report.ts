import type { Row, TableOptions } from './table.js';

/** A promise of the scenario, and whether the run kept it. */
export interface Check {
  readonly isMet: boolean;
  /** What was seen, in words that hold either way. */
  readonly text: string;
}

export interface Section extends TableOptions {
  readonly rows: readonly Row[];
}

/** What a scenario gives back: printed by {@link printReport}, and the exit code follows from the checks. */
export interface Report {
  readonly sections: readonly Section[];
  readonly checks: readonly Check[];
  /** Lines that explain what the figures cannot. */
  readonly notes?: readonly string[];
  /** The last line: one form per scenario, for scripts. */
  readonly verdict: string;
}

export function isKept(report: Report): boolean {
  return report.checks.every(({ isMet }) => isMet);
}
