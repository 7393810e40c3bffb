import { nameOf, type Faults } from './faults.js';
import { BAD_ROWS, MAIN_ROWS, VARIANT_ROWS, type Row } from './rows.js';
import { leftMostWeight, redlock, type Rule } from './rule.js';
import { Search } from './search.js';
import { shortestPath } from './shortest-path.js';

const rows = [...MAIN_ROWS, ...VARIANT_ROWS, ...BAD_ROWS];
function smallestSets(rule: Rule): string[] {
  return new Search(rule).run().smallest.map(nameOf);
}

function rowOf(id: string): Row {
  return rows.find((row) => row.id === id)!;
}

/** Every set with one fault less. */
function oneLess({ timeouts, crashes }: Faults): Faults[] {
  return [
    { timeouts: timeouts - 1, crashes },
    { timeouts, crashes: crashes - 1 },
  ].filter((faults) => faults.timeouts >= 0 && faults.crashes >= 0);
}

describe('the model of the combination lock', () => {
  it('expects one fault for each node of a veto, and for Redlock a crash where majorities meet', () => {
    const cells = MAIN_ROWS.map((row) => [3, 4, 5].map((nodes) => row.expected.get(nodes)));
    expect(cells).toEqual([
      ['T2C1, T1C2, C3', 'T4, T3C1, T2C2, T1C3, C4', 'T5, T4C1, T3C2, T2C3, T1C4, C5'],
      ['T2C1, T1C2, C3', 'T2C2, T1C3, C4', 'T4C1, T3C2, T2C3, T1C4, C5'],
      ['C1', 'C2', 'C1'],
    ]);
  });

  it('does not lose a violation among clients and nodes that were swapped', () => {
    const inOrder = smallestSets(leftMostWeight(3));
    expect(smallestSets(leftMostWeight(3, { order: 'either' }))).toEqual(inOrder);
    expect(smallestSets(leftMostWeight(3, { order: 'all-at-once' }))).toEqual(inOrder);
  });
});

describe('the checker', () => {
  it('finds no way around the restart guard in a plain search either', () => {
    const rule = leftMostWeight(3, { guard: 'longest-lease' });
    expect(shortestPath(rule, { timeouts: 3, crashes: 3 })).toBeUndefined();
    const tooShort = leftMostWeight(3, { guard: 'shorter' });
    expect(shortestPath(tooShort, { timeouts: 0, crashes: 3 })).toBeDefined();
  });

  it.each([
    ['a lock that one node of three is enough for', { minNodes: 1 }, ['T3', 'T2C1', 'T1C2', 'C3']],
    ['no fault at all when holders go on past their lease', { validity: 'ignored' }, ['no fault']],
    ['no fault at all when anyone may delete a key', { release: 'any-key' }, ['no fault']],
    ['two majorities without a common node', { minNodes: 1, refusal: 'not-counted' }, ['no fault']],
  ] as const)('catches %s', (_name, changes, sets) => {
    expect(smallestSets(leftMostWeight(3, changes))).toEqual(sets);
  });

  it('catches a guard that protects too few nodes', () => {
    expect(smallestSets(leftMostWeight(4, { guard: 'longest-lease', minNodes: 2 }))).toContain('T4');
  });

  // A search of another kind, which keeps names and knows no order among faults, must agree.
  it.each(['left-most', 'redlock', 'existence', 'ignored'])('agrees with a plain search: %s', (id) => {
    const rule = rowOf(id).ruleFor(3);
    for (const faults of new Search(rule).run().smallest) {
      expect(shortestPath(rule, faults)?.at(-1)).toMatch(/^[AB] holds/);
      for (const less of oneLess(faults)) expect(shortestPath(rule, less)).toBeUndefined();
    }
  });

  it('tells the shortest way to two holders', () => {
    expect(shortestPath(redlock(3), { timeouts: 0, crashes: 1 })).toEqual([
      'A begins, all at once',
      'A is granted node 1',
      'A is granted node 2',
      'A holds the lock',
      'B begins, all at once',
      'B is granted node 3',
      'node 1 restarts empty',
      'B is granted node 1',
      'B holds the lock',
    ]);
  });
});
