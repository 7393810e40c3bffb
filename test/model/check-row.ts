import { nameOf, type Faults } from './faults.js';
import { NOTHING, type Row } from './rows.js';
import { Search } from './search.js';

/** What one search said, beside what it should have said. */
export interface Cell {
  readonly row: Row;
  readonly nodes: number;
  readonly smallest: readonly Faults[];
  /** `smallest` in words. */
  readonly found: string;
  readonly expected: string;
  readonly states: number;
  readonly tookMs: number;
}

export function checkRow(row: Row, nodes: number): Cell {
  const startedAt = performance.now();
  const { smallest, states } = new Search(row.ruleFor(nodes)).run();
  return {
    row,
    nodes,
    smallest,
    found: namesOf(smallest),
    expected: row.expected.get(nodes) ?? '?',
    states,
    tookMs: performance.now() - startedAt,
  };
}

/** `T2C1, T1C2, C3`, or `none`: most time-outs first. */
function namesOf(smallest: readonly Faults[]): string {
  return smallest.map(nameOf).join(', ') || NOTHING;
}
