import { Liveness, ManualClock } from 'bedrock-testkit';
import { DurationSamples } from '../../../libs/testkit/src/contract/context/duration-samples.js';

const BOUND_MS = 100;

/** Runs a promise as the contract does: each run takes the next of these times for each of its durations. */
async function judged(...runs: readonly (readonly number[])[]): Promise<number> {
  const clock = new ManualClock();
  const durations = new DurationSamples(new Liveness(clock, () => undefined));
  let done = 0;
  while (durations.needsRun) {
    durations.beginRun();
    for (const ms of runs[done]!) await durations.take('a hand-over', BOUND_MS, () => clock.advance(ms));
    done += 1;
  }
  durations.assertMedians();
  return done;
}

describe('the durations of a promise', () => {
  it('are judged by two runs that agree', async () => {
    expect(await judged([100, 50], [90, 60])).toBe(2);
    await expect(judged([700], [650])).rejects.toThrow(/^too late: a hand-over took 700.0 ms/);
  });

  it('have a third run where two do not agree, and the median counts', async () => {
    expect(await judged([101], [20], [20])).toBe(3);
    await expect(judged([20], [101], [101])).rejects.toThrow(/^too late: a hand-over took 101.0 ms/);
  });

  it('need no second run where nothing was timed', async () => {
    expect(await judged([])).toBe(1);
  });

  it('are told apart by their order in a run', async () => {
    expect(await judged([101, 20], [20, 101], [20, 20])).toBe(3);
    await expect(judged([20, 700], [20, 700])).rejects.toThrow('too late');
  });

  it('excuse no other failure of a run', async () => {
    const durations = new DurationSamples(new Liveness(new ManualClock()));
    durations.beginRun();
    const broken = durations.take('a hand-over', BOUND_MS, () => Promise.reject(new Error('two holders')));
    await expect(broken).rejects.toThrow('two holders');
  });
});
