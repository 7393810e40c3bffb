import type { EngineName } from '../engines/engines.js';
import type { LibraryName } from '../libraries/catalogue.js';
import type { ScenarioName } from './names.js';

/** Figures of one turn of a library, by name. */
export type Figures = Readonly<Record<string, number>>;

/** How the table shows a figure. */
export interface Column {
  readonly figure: string;
  readonly head: string;
  readonly show: (value: number) => string;
}

/** A target of one of Bedrock's rows. */
export interface Target {
  readonly library: LibraryName;
  /** A figure, or `ratioToRaw`. */
  readonly figure: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Judged only if this library took part as well. */
  readonly beside?: LibraryName;
}

/** The servers of the turns. */
export interface BenchServers {
  readonly url: string;
  /** A key that no other turn has used. */
  freshKey(): string;
  /** URL of an engine, which starts at the first request for it. */
  urlOf(engine: EngineName): Promise<string>;
}

export interface Scenario {
  readonly name: ScenarioName;
  readonly title: string;
  /** The title in the chart. */
  readonly short: string;
  readonly libraries: readonly LibraryName[];
  /** Turns of each library, over which medians are taken. */
  readonly rounds: number;
  /** How many libraries take their turn at the same time. @default 1 */
  readonly lanes?: number;
  turn(library: LibraryName, servers: BenchServers): Promise<Figures>;
  /** The reference of a library. @default raw */
  readonly rawOf?: (library: LibraryName) => LibraryName;
  /** The figure whose ratio to raw is reported. */
  readonly compared: string;
  /** Whether a lower or a higher figure is better. */
  readonly better: 'less' | 'more';
  /** Figures reported as the maximum of all rounds instead of the median: they count forbidden events. */
  readonly worst?: readonly string[];
  /** One more figure: the compared one beside that of another library in the same round. */
  readonly relative?: {
    readonly figure: string;
    readonly to: LibraryName;
    /** @default 'ratio' */
    readonly by?: 'ratio' | 'difference';
  };
  readonly columns: readonly Column[];
  readonly targets: readonly Target[];
}
