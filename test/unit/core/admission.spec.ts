import { describe, expect, it } from '@jest/globals';
import { isAdmitted } from '../../../libs/lock/src/core/admission.js';

const units = (...counts: number[]) => counts.map((count) => ({ units: count }));

describe('the admission rule', () => {
  it('lets one holder have a mutex', () => {
    const mutex = { units: 1, capacity: 1 };
    expect(isAdmitted(mutex, [], [])).toBe(true);
    expect(isAdmitted(mutex, units(1), [])).toBe(false);
  });

  it('counts those ahead in the queue as holders', () => {
    expect(isAdmitted({ units: 1, capacity: 1 }, [], units(1))).toBe(false);
    expect(isAdmitted({ units: 1, capacity: 3 }, units(1), units(1))).toBe(true);
  });

  it('lets many readers in and keeps a writer out until all have left', () => {
    const capacity = 1_000;
    expect(isAdmitted({ units: 1, capacity }, units(1, 1, 1), [])).toBe(true);
    expect(isAdmitted({ units: capacity, capacity }, units(1), [])).toBe(false);
    // A waiting writer keeps later readers out: it does not starve.
    expect(isAdmitted({ units: 1, capacity }, units(1), units(capacity))).toBe(false);
  });

  it('weighs the permits of a semaphore', () => {
    expect(isAdmitted({ units: 3, capacity: 8 }, units(2, 3), [])).toBe(true);
    expect(isAdmitted({ units: 4, capacity: 8 }, units(2, 3), [])).toBe(false);
  });
});
