import type { LibraryName } from '../libraries/catalogue.js';
import type { ScenarioName } from '../scenarios/names.js';

/** The checked command line. Undefined means the bench's own choice. */
export interface RunOptions {
  readonly scenarios: readonly ScenarioName[] | undefined;
  readonly libraries: readonly LibraryName[] | undefined;
  readonly rounds: number | undefined;
  /** One JSON object per line instead of tables. */
  readonly isJson: boolean;
  /** Whether a missed target makes the exit code 1. */
  readonly isChecked: boolean;
  /** Whether to rewrite the results and charts of docs/performance. */
  readonly writesDocs: boolean;
}

export type Command = { readonly kind: 'help' } | ({ readonly kind: 'run' } & RunOptions);

/** Exit codes of the command; the help page explains them. */
export const EXIT = { done: 0, missed: 1, usage: 2, notRun: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
