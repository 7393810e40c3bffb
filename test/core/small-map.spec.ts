import { describe, expect, it } from '@jest/globals';
import { SmallMap } from '../../libs/lock/src/core/small-map.js';

describe('a small map', () => {
  it('does what a Map does, in any order of calls', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (const keys of [1, 2, 3, 20]) {
      const [small, map] = [new SmallMap<string, number>(), new Map<string, number>()];
      for (let call = 0; call < 5_000; call += 1) {
        const key = `key ${random(keys)}`;
        if (random(2) === 0) {
          small.set(key, call);
          map.set(key, call);
        } else {
          expect(small.delete(key)).toBe(map.delete(key));
        }
        const other = `key ${random(keys)}`;
        expect([small.get(other), small.has(other), small.size]).toEqual([
          map.get(other),
          map.has(other),
          map.size,
        ]);
        expect([...small.values()].sort()).toEqual([...map.values()].sort());
      }
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
