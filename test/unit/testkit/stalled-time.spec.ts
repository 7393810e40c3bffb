import { StalledTime } from '../../../libs/testkit/src/liveness/stalled-time.js';

/** Stalls of 10 ms that end at 20, 40, 60 and so on. */
function stalls(count: number): StalledTime {
  const time = new StalledTime();
  for (let i = 1; i <= count; i += 1) time.add(i * 20, 10);
  return time;
}

describe('the stalled part of a time', () => {
  it.each([
    [0, Infinity, 1_000],
    [0, 10, 0],
    [0, 20, 10],
    [20, 30, 0],
    [15, 75, 30],
    [1_999, 2_100, 1],
    [2_000, Infinity, 0],
    [35, 35, 0],
    [75, 15, 0],
  ])('from %d to %d is %d ms', (from, to, ms) => {
    expect(stalls(100).within(from, to)).toBe(ms);
  });

  it('has that of a sleep which began before stalls that ended earlier', () => {
    const time = stalls(3);
    time.add(3_000, 2_995);
    time.add(3_020, 10);
    expect(time.longestWithin(500, 600)).toBe(100);
    expect(time.within(6, 8)).toBe(2);
    expect(time.within(2_990, Infinity)).toBe(20);
  });

  it('is none without a stall', () => {
    expect(stalls(0).within(0, Infinity)).toBe(0);
    expect(stalls(0).longestWithin(0, Infinity)).toBe(0);
  });

  it('has a longest stall, of which only what lies within counts', () => {
    const time = stalls(3);
    time.add(200, 90);
    expect(time.longestWithin(0, Infinity)).toBe(90);
    expect(time.longestWithin(0, 150)).toBe(40);
    expect(time.longestWithin(15, 19)).toBe(4);
  });
});
