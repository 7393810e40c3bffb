import { describe, expect, it } from '@jest/globals';
import { shareOf } from '../src/processes/share.js';
import { jainIndex, spreadOf } from '../src/report/statistics.js';

describe('the figures of a report', () => {
  it('gives percentiles that were really measured', () => {
    const figures = Array.from({ length: 200 }, (_, i) => 200 - i);
    expect(spreadOf(figures)).toEqual({ min: 1, average: 100.5, p50: 100, p99: 198, max: 200 });
    expect(spreadOf([7])).toEqual({ min: 7, average: 7, p50: 7, p99: 7, max: 7 });
  });

  it('has Jain at 1 for equal shares and at 1/n when one has everything', () => {
    expect(jainIndex([5, 5, 5, 5])).toBe(1);
    expect(jainIndex([0, 0, 0, 8])).toBe(0.25);
  });

  it('deals out everything, as evenly as it goes', () => {
    expect([0, 1, 2, 3].map((index) => shareOf(10, 4, index))).toEqual([3, 3, 2, 2]);
  });
});
