import type { BackendName, ScenarioName } from './run-options.js';

/** One option; the parser, its checks and the help page share it. */
export interface OptionRow {
  /** How the help shows the value; a flag has none. */
  readonly value?: string;
  readonly text: string;
  /** Scenarios that accept it. @default all of them */
  readonly scenarios?: readonly ScenarioName[];
  /** The only backend that accepts it. */
  readonly backend?: BackendName;
  /** True if the option may occur several times, and takes several values with commas between them. */
  readonly isList?: boolean;
  /** The words that it accepts. */
  readonly words?: readonly string[];
  /** The whole numbers that it accepts. */
  readonly range?: readonly [min: number, max: number];
}

/** The options of one command. */
export interface OptionSet<N extends string> {
  readonly rows: Readonly<Record<N, OptionRow>>;
  /** Where to read more, for mistakes that do not explain themselves. */
  readonly hint: string;
}
