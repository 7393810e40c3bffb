import type { EngineName } from '../engines/engines.js';
import type { LibraryName } from '../libraries/catalogue.js';
import type { ScenarioName } from './names.js';

/** What one turn of a library came to, by name. */
export type Figures = Readonly<Record<string, number>>;

/** How a figure is shown in the table. */
export interface Column {
  readonly figure: string;
  readonly head: string;
  readonly show: (value: number) => string;
}

/** What a row of Bedrock must reach. */
export interface Target {
  readonly library: LibraryName;
  /** A figure, or `ratioToRaw`. */
  readonly figure: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  /** Judged only where this one took part as well. */
  readonly beside?: LibraryName;
}

/** The servers that turns run on. */
export interface BenchServers {
  readonly url: string;
  /** A key that no other turn has used. */
  freshKey(): string;
  /** Where an engine is, which is started when it is first asked for. */
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
  /** Whom a library is compared with. @default raw */
  readonly rawOf?: (library: LibraryName) => LibraryName;
  /** The figure whose ratio to raw is told. */
  readonly compared: string;
  /** Whether less of it is better, or more. */
  readonly better: 'less' | 'more';
  /** Figures of which the greatest of all rounds is told instead of the median: what must never happen. */
  readonly worst?: readonly string[];
  /** One more figure: the ratio of the compared one to that of another library in the same round. */
  readonly relative?: { readonly figure: string; readonly to: LibraryName };
  readonly columns: readonly Column[];
  readonly targets: readonly Target[];
}
