import { leftMostWeight, redlock, seedRule, type Rule } from './rule.js';

/** A rule to be checked at several sizes, with the answer that is expected at each: the smallest sets of faults. */
export interface Row {
  /** What `--row` takes. */
  readonly id: string;
  readonly title: string;
  readonly ruleFor: (nodes: number) => Rule;
  readonly expected: ReadonlyMap<number, string>;
}

/** What no number of faults can break. */
export const NOTHING = 'none';

/** One fault for each node, of either kind, with at most `timeouts` time-outs: `T2C1, T1C2, C3`. */
function onePerNode(nodes: number, timeouts: number): string {
  const sets: string[] = [];
  for (let count = Math.min(timeouts, nodes); count >= 0; count--)
    sets.push((count > 0 ? `T${count}` : '') + (count < nodes ? `C${nodes - count}` : ''));
  return sets.join(', ');
}

function setsBySize(sets: Readonly<Record<number, string>>): ReadonlyMap<number, string> {
  return new Map(Object.entries(sets).map(([nodes, set]) => [Number(nodes), set]));
}

/** With a majority each client may miss nodes - majority nodes through time-outs. */
const MAJORITY = { 3: onePerNode(3, 2), 4: onePerNode(4, 2), 5: onePerNode(5, 4) };

/** The three rules that the choice was between, column by column. */
export const MAIN_ROWS: readonly Row[] = [
  {
    id: 'seed',
    title: "seed's rule, min = 2",
    ruleFor: seedRule,
    expected: setsBySize({ 3: onePerNode(3, 2), 4: onePerNode(4, 4), 5: onePerNode(5, 6) }),
  },
  {
    id: 'left-most',
    title: 'left-most weight, min = majority',
    ruleFor: leftMostWeight,
    expected: setsBySize(MAJORITY),
  },
  {
    id: 'redlock',
    title: 'Redlock (majority, no veto)',
    ruleFor: redlock,
    expected: setsBySize({ 3: 'C1', 4: 'C2', 5: 'C1' }),
  },
];

function variant(id: string, title: string, changes: Partial<Rule>, sets: Record<number, string>): Row {
  return { id, title, ruleFor: (nodes) => leftMostWeight(nodes, changes), expected: setsBySize(sets) };
}

const SAFE = (...nodes: number[]): Record<number, string> =>
  Object.fromEntries(nodes.map((n) => [n, NOTHING]));

const WHOLE: Partial<Rule> = {
  guard: 'longest-lease',
  order: 'either',
  marks: true,
  repeats: true,
  renewal: 'counted',
};

/** Left-most weight with a majority, changed in one way at a time, and the whole of it. */
export const VARIANT_ROWS: readonly Row[] = [
  variant('all-at-once', 'every attempt asks all at once', { order: 'all-at-once' }, MAJORITY),
  variant('either', 'every attempt in either form', { order: 'either' }, MAJORITY),
  variant(
    'repeats',
    'an unanswered claim is sent again',
    { order: 'either', repeats: true },
    { 3: MAJORITY[3], 4: MAJORITY[4] },
  ),
  variant('marks', 'marked nodes are skipped', { marks: true }, MAJORITY),
  variant('renewal', 'renewal, owner-checked and counted', { renewal: 'counted' }, MAJORITY),
  variant('guard', 'restart guard', { guard: 'longest-lease' }, SAFE(3, 4, 5)),
  variant(
    'guard-all-at-once',
    'restart guard, all at once',
    { guard: 'longest-lease', order: 'all-at-once' },
    SAFE(3, 4, 5),
  ),
  variant(
    'guard-either',
    'restart guard, either form',
    { guard: 'longest-lease', order: 'either' },
    SAFE(3, 4),
  ),
  variant('whole', 'guard, either form, marks, repeats and renewal', WHOLE, SAFE(3)),
];

/** What the rules are there to prevent. Each must be caught. */
export const BAD_ROWS: readonly Row[] = [
  variant(
    'min-2-guard',
    'bad: restart guard, but min = 2',
    { guard: 'longest-lease', minNodes: 2 },
    {
      4: onePerNode(4, 4),
      5: onePerNode(5, 6),
    },
  ),
  variant('past-validity', 'bad: no validity arithmetic', { validity: 'ignored' }, { 3: 'no fault' }),
  variant(
    'reused-ids',
    'bad: claim ids are used again',
    { claimIds: 'reused' },
    {
      1: 'T1, C1',
      3: onePerNode(3, 3),
    },
  ),
  variant(
    'existence',
    'bad: renewal asks only for existence',
    { renewal: 'asks-existence' },
    {
      3: onePerNode(3, 3),
    },
  ),
  variant(
    'ignored',
    'bad: renewal ignores results',
    { renewal: 'ignores-results' },
    {
      3: onePerNode(3, 3),
    },
  ),
  variant(
    'short-guard',
    'bad: a guard shorter than a lease',
    { guard: 'shorter' },
    {
      3: MAJORITY[3],
      4: MAJORITY[4],
    },
  ),
  variant('any-key', 'bad: a release deletes the key of anyone', { release: 'any-key' }, { 1: 'no fault' }),
];
