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
  it('are judged by one run that is in time', async () => {
    expect(await judged([100, 50])).toBe(1);
    expect(await judged([])).toBe(1);
  });

  it('have two more runs after a late one, and the median counts', async () => {
    expect(await judged([101], [20], [20])).toBe(3);
    await expect(judged([101], [20], [101])).rejects.toThrow(/^too late: a hand-over took 101.0 ms/);
  });

  it('are late when two runs are late, without a third', async () => {
    await expect(judged([700], [650])).rejects.toThrow(/^too late: a hand-over took 700.0 ms/);
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
