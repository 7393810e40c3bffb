import { ManualClock } from 'bedrock-testkit';
import { Readiness } from '../../../../libs/lock/src/backends/kit/readiness.js';

let clock: ManualClock;
let readiness: Readiness;
let told: string[];

beforeEach(() => {
  clock = new ManualClock({ now: 1_000 });
  readiness = new Readiness(clock, (why, ms) => new Error(`${why?.message ?? 'silence'} after ${ms} ms`));
  told = [];
});

/** A caller that waits so long, and tells how that ended. */
const wait = (ms: number): void =>
  void readiness.wait(ms).then(
    () => told.push(`${ms} served`),
    (error: Error) => told.push(`${ms} ${error.message}`),
  );

describe('the readiness of a connection', () => {
  it('serves every caller that waits when it comes', async () => {
    for (const ms of [100, 200]) wait(ms);
    readiness.succeeded();
    await clock.advance(1_000);
    expect(told).toEqual(['100 served', '200 served']);
  });

  it('lets each caller wait for its own time, and then says what failed last', async () => {
    wait(100);
    wait(200);
    await clock.advance(100);
    expect(told).toEqual(['100 silence after 100 ms']);
    readiness.failed(new Error('refused'), false);
    await clock.advance(100);
    expect(told.slice(1)).toEqual(['200 refused after 200 ms']);
    expect(readiness.lastError?.message).toBe('refused');
  });

  it('reads what has come by then before it gives a caller up', async () => {
    clock.setTimer(() => clock.afterPoll(() => readiness.succeeded()), 100);
    wait(100);
    await clock.advance(100);
    expect(told).toEqual(['100 served']);
  });

  it('lets no caller wait in vain: a final failure ends all waits', async () => {
    for (const ms of [100, 200]) wait(ms);
    readiness.failed(new Error('no rights'), true);
    await clock.advance(0);
    expect(told).toEqual(['100 no rights after 100 ms', '200 no rights after 200 ms']);
  });

  it('forgets what failed when it serves', async () => {
    readiness.failed(new Error('refused'), false);
    readiness.succeeded();
    expect(readiness.lastError).toBeUndefined();
    wait(100);
    await clock.advance(100);
    expect(told).toEqual(['100 silence after 100 ms']);
  });
});
