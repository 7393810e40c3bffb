import { ManualClock } from 'bedrock-testkit';
import { EventLoopWatchdog } from '../../../libs/testkit/src/liveness/event-loop-watchdog.js';
import { processorWaitMs } from '../../../libs/testkit/src/liveness/processor-wait.js';

function watched() {
  const clock = new ManualClock();
  const processor = { waitedMs: 0 };
  const stalls: number[] = [];
  const watchdog = new EventLoopWatchdog(
    clock,
    (ms) => stalls.push(ms),
    () => processor.waitedMs,
  );
  return { clock, processor, stalls, watchdog };
}

describe('a stall of the event loop', () => {
  it('is a timer that is late', async () => {
    const { clock, stalls, watchdog } = watched();
    await clock.advance(20);
    clock.block(70);
    await clock.advance(20);
    expect(stalls).toEqual([50]);
    expect(watchdog.stalledWithin(0, Infinity)).toBe(50);
    watchdog.stop();
  });

  it('is a wait for a processor too, where it was over before the timer was due', async () => {
    const { clock, processor, stalls, watchdog } = watched();
    await clock.advance(20);
    for (let i = 0; i < 3; i += 1) {
      processor.waitedMs += 15;
      await clock.advance(20);
    }
    expect(stalls).toEqual([15, 15, 15]);
    expect(watchdog.stalledWithin(clock.now() - 60, clock.now())).toBe(45);
    watchdog.stop();
  });

  it('is counted once where a wait has made the timer late, with what came before that was due', async () => {
    const { clock, processor, stalls, watchdog } = watched();
    await clock.advance(20);
    clock.block(70);
    processor.waitedMs += 70;
    await clock.advance(20);
    expect(stalls).toEqual([70]);
    watchdog.stop();
  });

  it('is counted while it lasts, and no more after the end of the watch', async () => {
    const { clock, processor, watchdog } = watched();
    await clock.advance(20);
    processor.waitedMs += 15;
    expect(watchdog.stalledWithin(0, Infinity)).toBe(15);
    watchdog.stop();
    expect(watchdog.stalledWithin(0, Infinity)).toBe(15);
    processor.waitedMs += 15;
    expect(watchdog.stalledWithin(0, Infinity)).toBe(15);
  });
});

it('the wait for a processor is a time that never goes back', () => {
  const before = processorWaitMs();
  expect(before).toBeGreaterThanOrEqual(0);
  expect(processorWaitMs()).toBeGreaterThanOrEqual(before);
});
