import { describe, expect, it } from '@jest/globals';
import { countOverlaps } from '../src/referee/overlaps.js';
import { SectionLog } from '../src/referee/section-log.js';
import { turnsInCommon } from '../src/referee/turns.js';

const log = (...times: number[]) => Float64Array.from(times);

describe('the referee', () => {
  it('sees no overlap where one leaves before the next enters, across processes too', () => {
    expect(countOverlaps([log(1, 2, 5, 6), log(2, 3, 3, 5)])).toBe(0);
  });

  it('counts each section that began before an earlier one had ended', () => {
    expect(countOverlaps([log(1, 4), log(3, 5)])).toBe(1);
    expect(countOverlaps([log(1, 10, 12, 13), log(2, 3), log(4, 5)])).toBe(2);
    expect(countOverlaps([log(1, 10), log(1, 10)])).toBe(1);
  });

  it('counts a caller that never left as still inside', () => {
    const sections = new SectionLog(1);
    sections.enter();
    sections.leave(sections.enter());
    expect(countOverlaps([sections.times])).toBe(1);
  });

  it('keeps all sections when there are more than expected', () => {
    const sections = new SectionLog(1);
    for (let i = 0; i < 10; i += 1) sections.leave(sections.enter());
    expect(sections.times).toHaveLength(20);
    expect(countOverlaps([sections.times])).toBe(0);
  });

  it('compares processes only while all of them are at work', () => {
    // The second begins at 4, the first is done at 8: two turns of the first and one of the second lie between.
    expect(turnsInCommon([log(1, 2, 3, 4, 5, 6, 7, 8), log(4, 5, 8, 9)])).toEqual([2, 1]);
  });
});
