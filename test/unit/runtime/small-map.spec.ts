import { describe, expect, it } from '@jest/globals';
import { SmallMap } from '../../../libs/lock/src/runtime/collections/small-map.js';

/** What a map answers to one call, and what it holds afterwards. */
function answersOf(
  map: Map<string, number> | SmallMap<string, number>,
  { key, other, call, isSet }: { key: string; other: string; call: number; isSet: boolean },
): unknown[] {
  const deleted = isSet ? void map.set(key, call) : map.delete(key);
  return [deleted, map.get(other), map.has(other), map.size, [...map.values()].sort()];
}

describe('a small map', () => {
  it('does what a Map does, in any order of calls', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (const keys of [1, 2, 3, 20]) {
      const [small, map] = [new SmallMap<string, number>(), new Map<string, number>()];
      const [seen, expected]: [unknown[], unknown[]] = [[], []];
      for (let call = 0; call < 5_000; call += 1) {
        const [key, other] = [`key ${random(keys)}`, `key ${random(keys)}`];
        const isSet = random(2) === 0;
        seen.push(answersOf(small, { key, other, call, isSet }));
        expected.push(answersOf(map, { key, other, call, isSet }));
      }
      expect(seen).toEqual(expected);
    }
  });

  it('puts a new first entry beside the others', () => {
    const small = new SmallMap<string, string>();
    for (const name of ['a', 'b', 'c']) small.set(name, name);
    small.delete('a');
    small.set('d', 'd');
    expect([...small.values()].sort()).toEqual(['b', 'c', 'd']);
  });
});
