/** What is counted, by the name that the report gives it. */
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

/** One way of working, under a number of requests at once. */
export interface Way {
  readonly name: string;
  readonly requests: number;
  readonly seen: Figures;
  /** What it is known for. */
  readonly known: Figures;
  /** Why requests ended with an error instead of an answer. */
  readonly failures: readonly string[];
}

/** A scheme with the ways in which it was tried. */
export interface SchemeAccount {
  readonly name: string;
  readonly ways: readonly Way[];
  /** What was seen, in words that hold either way. */
  readonly summary: string;
}

/** Where a way was not what it is known for, one line each. */
export function surprisesOf({ name, seen, known, failures }: Way): string[] {
  const differing = FIGURE_NAMES.filter((figure) => seen[figure] !== known[figure]);
  return [
    ...differing.map((figure) => `${name}: ${figure} ${seen[figure]}, should be ${known[figure]}`),
    ...new Set(failures.map((failure) => `${name}: a request failed: ${failure}`)),
  ];
}
