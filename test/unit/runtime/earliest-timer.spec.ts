import { describe, expect, it } from '@jest/globals';
import type { Timer } from 'bedrock-lock/integration';
import { ManualClock } from 'bedrock-testkit';
import { EarliestTimer } from '../../../libs/lock/src/runtime/earliest-timer.js';

/** Its process is stopped while it sets the next timer. */
class StoppedClock extends ManualClock {
  stoppedMs = 0;

  override setTimer(callback: () => void, ms: number): Timer {
    this.block(this.stoppedMs);
    this.stoppedMs = 0;
    return super.setTimer(callback, ms);
  }
}

function setUp(longestMs?: number) {
  const clock = new StoppedClock({ now: 0 });
  const firedAt: number[] = [];
  const lateMs: number[] = [];
  const timer = new EarliestTimer(
    clock,
    (late) => {
      firedAt.push(clock.now());
      lateMs.push(late);
    },
    longestMs,
  );
  return { clock, timer, firedAt, lateMs };
}

describe('a timer for many instants', () => {
  it('fires once, at the earliest', async () => {
    const { clock, timer, firedAt } = setUp();
    for (const at of [50, 30, 40, Infinity]) timer.arm(at);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(100);
    expect(firedAt).toEqual([30]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('may be armed for the next instant when it fires', async () => {
    const { clock, timer, firedAt } = setUp();
    timer.arm(30);
    await clock.advance(30);
    timer.arm(70);
    await clock.advance(100);
    expect(firedAt).toEqual([30, 70]);
  });

  it('is not armed for no instant at all', () => {
    const { clock, timer } = setUp();
    timer.arm(Infinity);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires early rather than sleep for longer than it may', async () => {
    const { clock, timer, firedAt } = setUp(20);
    timer.arm(50);
    // It is due before that anyway.
    timer.arm(40);
    await clock.advance(100);
    expect(firedAt).toEqual([20]);
  });

  it('tells how late it is', async () => {
    const { clock, timer, lateMs } = setUp();
    timer.arm(-5);
    await clock.advance(0);
    expect(lateMs).toEqual([5]);
  });

  it('fires at once where its process was stopped while it was armed, beyond the instant', async () => {
    const { clock, timer, firedAt } = setUp();
    clock.stoppedMs = 100;
    timer.arm(30);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(100);
    expect(firedAt).toEqual([100]);
  });

  it('tells of such a stop also where it sleeps no longer than it may', async () => {
    const { clock, timer, firedAt, lateMs } = setUp(20);
    clock.stoppedMs = 100;
    timer.arm(500);
    await clock.advance(100);
    expect(firedAt).toEqual([100]);
    expect(lateMs).toEqual([80]);
  });

  it('fires no more once it was stopped', async () => {
    const { clock, timer, firedAt } = setUp();
    timer.arm(30);
    timer.stop();
    timer.arm(10);
    await clock.advance(100);
    expect(firedAt).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
