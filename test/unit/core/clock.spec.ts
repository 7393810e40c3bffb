import { describe, expect, it, jest } from '@jest/globals';
import { MAX_TIMER_MS, sleep, systemClock } from 'bedrock-lock/integration';
import { randomUuid } from '../../../libs/lock/src/core/clock.js';

describe('the system clock', () => {
  it('keeps its own timers when fake ones are installed', async () => {
    jest.useFakeTimers();
    try {
      const before = systemClock.now();
      await sleep(systemClock, 5);
      expect(systemClock.now() - before).toBeGreaterThanOrEqual(4);
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not fire at once for a delay that overflows a timer', async () => {
    let fired = false;
    const timer = systemClock.setTimer(() => (fired = true), MAX_TIMER_MS * 4);
    await sleep(systemClock, 20);
    systemClock.clearTimer(timer);
    expect(fired).toBe(false);
  });

  it('lets a poll phase pass before it calls back', async () => {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      setImmediate(() => order.push('immediate'));
      systemClock.afterPoll(() => {
        order.push('after poll');
        resolve();
      });
    });
    expect(order).toEqual(['immediate', 'after poll']);
  });

  it('makes version 4 UUIDs that do not repeat', () => {
    const ids = Array.from({ length: 1_000 }, () => randomUuid(systemClock));
    expect(new Set(ids).size).toBe(ids.length);
    const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(ids.filter((id) => !version4.test(id))).toEqual([]);
  });
});
