import { sleep } from 'bedrock-lock/integration';
import { FlowingClock } from 'bedrock-testkit';

describe('a clock that flows', () => {
  it('goes on to the next timer whenever all has come to rest', async () => {
    const clock = new FlowingClock({ now: 0 });
    const stop = clock.flow();
    const seen: number[] = [];
    const wait = async (ms: number): Promise<void> => {
      await sleep(clock, ms);
      seen.push(clock.now());
    };
    await Promise.all([wait(60_000), wait(10), wait(600)]);
    expect(seen).toEqual([10, 600, 60_000]);
    await stop();
  });

  it('stands still when it was stopped, and while there is nothing to wait for', async () => {
    const clock = new FlowingClock({ now: 5 });
    const stop = clock.flow();
    await new Promise((resolve) => setImmediate(resolve));
    await stop();
    clock.setTimer(() => undefined, 10);
    await new Promise((resolve) => setImmediate(resolve));
    expect([clock.now(), clock.pendingTimers]).toEqual([5, 1]);
  });
});
