/** The counted figures, by their names in the report. */
export const FIGURE_NAMES = [
  'in stock',
  'succeeded',
  'refused',
  'replayed',
  'answers',
  'orders',
  'deadlocks',
  'stock left',
  'money left',
] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** One way of working, under a number of concurrent requests. */
export interface Way {
  readonly name: string;
  readonly requests: number;
  readonly seen: Figures;
  /** Its known result. */
  readonly known: Figures;
  /** Reasons of requests that ended with an error. */
  readonly failures: readonly string[];
}

/** A scheme with the ways in which it was tried. */
export interface SchemeAccount {
  readonly name: string;
  readonly ways: readonly Way[];
  /** The observation, in words that fit either result. */
  readonly summary: string;
}

/** The differences of a way from its known result, one line each. */
export function surprisesOf({ name, seen, known, failures }: Way): string[] {
  const differing = FIGURE_NAMES.filter((figure) => seen[figure] !== known[figure]);
  return [
    ...differing.map((figure) => `${name}: ${figure} ${seen[figure]}, should be ${known[figure]}`),
    ...new Set(failures.map((failure) => `${name}: a request failed: ${failure}`)),
  ];
}
