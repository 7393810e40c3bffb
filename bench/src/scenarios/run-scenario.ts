import { medianRatio } from '../figures/ratios.js';
import { median } from '../figures/statistics.js';
import type { LibraryName } from '../libraries/catalogue.js';
import type { Figures, Ground, Scenario } from './scenario.js';

/** A library in a scenario: the medians over its rounds, or why there are none. */
export interface Row {
  readonly library: LibraryName;
  readonly figures: Figures;
  /** Median of the ratios of the rounds; undefined when raw did not run. */
  readonly ratioToRaw: number | undefined;
  readonly failure: string | undefined;
}

interface Course {
  readonly library: LibraryName;
  readonly rounds: (Figures | undefined)[];
  failure: string | undefined;
}

/**
 * Lets the libraries take turns, round by round; each round begins with another one, so that a drift of the machine
 * meets all of them. A library that fails once is left out from then on, and its row says why.
 */
export async function runScenario(
  scenario: Scenario,
  libraries: readonly LibraryName[],
  rounds: number,
  ground: Ground,
): Promise<Row[]> {
  const courses = libraries.map((library): Course => ({ library, rounds: [], failure: undefined }));
  const lanes = scenario.lanes ?? 1;
  for (let round = 0; round < rounds; round++) {
    const order = courses.map((_, i) => courses[(i + round) % courses.length]!);
    for (let at = 0; at < order.length; at += lanes) {
      await Promise.all(order.slice(at, at + lanes).map((course) => take(scenario, course, round, ground)));
    }
  }
  const { compared, relative } = scenario;
  const rawOf = (library: LibraryName): LibraryName => scenario.rawOf?.(library) ?? 'raw';
  const ratioTo = (figures: Course['rounds'], library: LibraryName): number | undefined => {
    const reference = courses.find((course) => course.library === library);
    return reference && medianRatio(figures, reference.rounds, compared);
  };
  return courses.map(({ library, rounds: figures, failure }) => ({
    library,
    figures: {
      ...summaryOf(figures, scenario.worst ?? []),
      ...(relative && { [relative.figure]: ratioTo(figures, relative.to) ?? NaN }),
    },
    ratioToRaw: ratioTo(figures, rawOf(library)),
    failure,
  }));
}

async function take(scenario: Scenario, course: Course, round: number, ground: Ground): Promise<void> {
  if (course.failure !== undefined) return;
  try {
    course.rounds[round] = await scenario.turn(course.library, ground);
  } catch (error) {
    course.failure = error instanceof Error ? error.message : String(error);
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
