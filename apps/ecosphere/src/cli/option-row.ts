import type { BackendName, ScenarioName } from './run-options.js';

/** One option: the parser, its checks and the help page all read this. */
export interface OptionRow {
  /** How the value is shown in the help; a flag has none. */
  readonly value?: string;
  readonly text: string;
  /** Scenarios that know it; without it, all of them. */
  readonly scenarios?: readonly ScenarioName[];
  /** The only backend that knows it. */
  readonly backend?: BackendName;
  /** It may be given several times, and takes several values with commas between them. */
  readonly isList?: boolean;
  /** The words that it takes. */
  readonly words?: readonly string[];
  /** The whole numbers that it takes. */
  readonly range?: readonly [min: number, max: number];
}

/** The options of one command. */
export interface OptionSet<N extends string> {
  readonly rows: Readonly<Record<N, OptionRow>>;
  /** Where to read more, for the mistakes that explain nothing by themselves. */
  readonly hint: string;
}
