import { describe, expect, it } from '@jest/globals';
import { medianRatio } from '../../../bench/src/figures/ratios.js';
import { countOverlaps, SectionLog, unpackSections } from '../../../bench/src/figures/section-log.js';
import { jainIndex, median, percentile } from '../../../bench/src/figures/statistics.js';
import { teamFigures } from '../../../bench/src/scenarios/team-figures.js';

describe('the figures of the bench', () => {
  it('has the middle figure as median, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 1, 2, 4])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it('gives percentiles that were really measured', () => {
    const samples = Float64Array.from({ length: 200 }, (_, i) => 200 - i);
    expect(percentile(samples, 0.5)).toBe(100);
    expect(percentile(samples, 0.99)).toBe(198);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('has Jain at 1 for equal shares and at 1/n when one has everything', () => {
    expect(jainIndex([5, 5, 5, 5])).toBe(1);
    expect(jainIndex([0, 0, 0, 8])).toBe(0.25);
    expect(jainIndex([0, 0])).toBeNaN();
  });

  it('compares within a round, so that a slow round of the machine cancels out', () => {
    const raw = [{ us: 100 }, { us: 1_000 }, { us: 110 }];
    const other = [{ us: 105 }, { us: 1_050 }, { us: 121 }];
    expect(medianRatio(other, raw, 'us')).toBeCloseTo(1.05);
    expect(medianRatio([undefined, { us: 2_000 }], raw, 'us')).toBe(2);
    expect(medianRatio([undefined], raw, 'us')).toBeUndefined();
    expect(medianRatio([{ us: 1 }], [{ us: 0 }], 'us')).toBeUndefined();
  });
});

describe('the log of turns', () => {
  it('comes through a message unchanged, however long it grows', () => {
    const log = new SectionLog();
    for (let i = 0; i < 10_000; i++) log.add(i, i + 1, i + 2, i % 7);
    const sections = unpackSections(log.pack());
    expect(sections).toHaveLength(10_000);
    expect(sections[9_999]).toEqual({ asked: 9_999, entered: 10_000, left: 10_001, task: 9_999 % 7 });
  });

  it('counts a turn that began before an earlier one had ended', () => {
    const turn = (entered: number, left: number) => ({ asked: 0, entered, left, task: 0 });
    expect(countOverlaps([turn(0, 1), turn(1, 2), turn(2, 3)])).toBe(0);
    expect(countOverlaps([turn(2, 3), turn(0, 2.5), turn(3, 4)])).toBe(1);
    expect(countOverlaps([turn(0, 10), turn(1, 2), turn(3, 4)])).toBe(2);
  });
});

describe('the figures of several processes', () => {
  const account = (
    from: number,
    until: number,
    turns: readonly number[][],
    waitingSince: readonly number[],
  ) => {
    const log = new SectionLog();
    for (const [asked, entered, left, task] of turns) log.add(asked!, entered!, left!, task!);
    return {
      from,
      until,
      sections: log.pack(),
      waitingSince,
      failures: 0,
      commands: 4,
      notifications: 0,
      echoes: 0,
    };
  };

  it('counts only the time in which all of them were at work', () => {
    const one = account(0, 1_000, [[0, 1, 50, 0], [50, 60, 200, 0], [200, 210, 990, 1]], [Infinity, Infinity]); // prettier-ignore
    const other = account(100, 1_100, [[100, 300, 400, 0], [400, 1_001, 1_050, 1]], [Infinity, Infinity]); // prettier-ignore
    const figures = teamFigures([one, other], 2);
    // Three turns ended from 100 to 1,000 ms.
    expect(figures['cyclesPerS']).toBeCloseTo(3_000 / 900);
    expect(figures['jainProcesses']).toBeCloseTo(9 / (2 * 5));
    expect(figures['jainTasks']).toBeCloseTo(9 / (4 * 3));
    expect(figures['commandsPerCycle']).toBeCloseTo(8 / 5);
    expect(figures['overlaps']).toBe(1);
  });

  it('takes a task that never got in for one that waited all the time', () => {
    const figures = teamFigures([account(0, 500, [[0, 10, 20, 0]], [Infinity, 3])], 2);
    expect(figures['longestWaitMs']).toBe(497);
  });
});
