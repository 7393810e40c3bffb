import { medianDifference, medianRatio } from '../figures/ratios.js';
import { median } from '../figures/statistics.js';
import type { LibraryName } from '../libraries/catalogue.js';
import type { Figures, BenchServers, Scenario } from './scenario.js';

/** A library in a scenario: the medians over its rounds, or the reason for missing ones. */
export interface Row {
  readonly library: LibraryName;
  readonly figures: Figures;
  /** Median of the ratios of the rounds; undefined if raw did not run. */
  readonly ratioToRaw: number | undefined;
  readonly failure: string | undefined;
}

interface LibraryRun {
  readonly library: LibraryName;
  readonly rounds: (Figures | undefined)[];
  failure: string | undefined;
}

/**
 * Runs the libraries in turn, round by round; each round begins with another library, so that a drift of the machine
 * affects all of them. A library that fails once is omitted from then on, and its row gives the reason.
 */
export async function runScenario(
  scenario: Scenario,
  libraries: readonly LibraryName[],
  rounds: number,
  servers: BenchServers,
): Promise<Row[]> {
  const courses = libraries.map((library): LibraryRun => ({ library, rounds: [], failure: undefined }));
  const lanes = scenario.lanes ?? 1;
  for (let round = 0; round < rounds; round++) {
    const order = courses.map((_, i) => courses[(i + round) % courses.length]!);
    for (let at = 0; at < order.length; at += lanes) {
      await Promise.all(order.slice(at, at + lanes).map((run) => take(scenario, run, round, servers)));
    }
  }
  const { compared, relative } = scenario;
  const rawOf = (library: LibraryName): LibraryName => scenario.rawOf?.(library) ?? 'raw';
  const ratioTo = (figures: LibraryRun['rounds'], library: LibraryName): number | undefined => {
    const reference = courses.find((run) => run.library === library);
    return reference && medianRatio(figures, reference.rounds, compared);
  };
  const besides = (figures: LibraryRun['rounds']): Figures => {
    if (relative === undefined) return {};
    const reference = courses.find((run) => run.library === relative.to);
    const between = relative.by === 'difference' ? medianDifference : medianRatio;
    const value = reference && between(figures, reference.rounds, compared);
    return { [relative.figure]: value ?? NaN };
  };
  return courses.map(({ library, rounds: figures, failure }) => ({
    library,
    figures: {
      ...summaryOf(figures, scenario.worst ?? []),
      ...besides(figures),
    },
    ratioToRaw: ratioTo(figures, rawOf(library)),
    failure,
  }));
}

async function take(
  scenario: Scenario,
  run: LibraryRun,
  round: number,
  servers: BenchServers,
): Promise<void> {
  if (run.failure !== undefined) return;
  try {
    run.rounds[round] = await scenario.turn(run.library, servers);
  } catch (error) {
    run.failure = error instanceof Error ? error.message : String(error);
  }
}

function summaryOf(rounds: readonly (Figures | undefined)[], worst: readonly string[]): Figures {
  const done = rounds.filter((figures) => figures !== undefined);
  const names = Object.keys(done[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = done.map((figures) => figures[name]!);
      return [name, worst.includes(name) ? Math.max(...values) : median(values)];
    }),
  );
}
