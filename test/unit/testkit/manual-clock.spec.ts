import { sleep } from 'bedrock-lock/integration';
import { ManualClock } from 'bedrock-testkit';

describe('the manual clock', () => {
  it('stands still until it is advanced', async () => {
    const clock = new ManualClock({ now: 5, wall: 1_000 });
    await clock.settle();
    expect([clock.now(), clock.wall()]).toEqual([5, 1_000]);
    await clock.advance(2.5);
    expect([clock.now(), clock.wall()]).toEqual([7.5, 1_002.5]);
  });

  it('runs timers in the order of their time, then of their making', async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    clock.setTimer(() => order.push('later'), 20);
    clock.setTimer(() => order.push('first'), 10);
    clock.setTimer(() => order.push('second'), 10);
    clock.clearTimer(clock.setTimer(() => order.push('never'), 15));
    await clock.advance(20);
    expect(order).toEqual(['first', 'second', 'later']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets everything that a timer sets in motion happen before the next timer', async () => {
    const clock = new ManualClock();
    const times: number[] = [];
    const work = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await sleep(clock, 10);
        await Promise.resolve();
        times.push(clock.now());
      }
    };
    const done = work();
    await clock.advance(100);
    await done;
    expect(times).toEqual([1_010, 1_020, 1_030]);
  });

  it('calls back after the microtasks of a poll phase', async () => {
    const clock = new ManualClock();
    const order: string[] = [];
    clock.afterPoll(() => order.push('after poll'));
    void Promise.resolve().then(() => order.push('microtask'));
    await clock.settle();
    expect(order).toEqual(['microtask', 'after poll']);
  });

  it('can be blocked, so that timers are late', async () => {
    const clock = new ManualClock();
    let firedAt = 0;
    clock.setTimer(() => (firedAt = clock.now()), 10);
    clock.block(500);
    await clock.settle();
    expect(firedAt).toBe(0);
    await clock.advance(0);
    expect(firedAt).toBe(1_500);
  });

  it('can sleep like a system whose monotonic clock does not count that', () => {
    const clock = new ManualClock({ wall: 0 });
    clock.suspend(60_000);
    expect([clock.now(), clock.wall()]).toEqual([1_000, 60_000]);
  });

  it('gives the same random numbers for the same seed', () => {
    const [one, same, other] = [new ManualClock(), new ManualClock(), new ManualClock({ seed: 2 })];
    const numbers = [one.random(), one.random()];
    expect(numbers).toEqual([same.random(), same.random()]);
    expect(other.random()).not.toBe(numbers[0]);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(one.randomBytes(16)).toHaveLength(16);
  });

  it('refuses to run a timer that sets itself again without delay', async () => {
    const clock = new ManualClock();
    const again = (): void => void clock.setTimer(again, 0);
    again();
    await expect(clock.advance(1)).rejects.toThrow('sets itself again');
  });
});
