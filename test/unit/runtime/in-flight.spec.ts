import { describe, expect, it } from '@jest/globals';
import { InFlight } from '../../../libs/lock/src/runtime/in-flight.js';

/** Whether it has settled when all microtasks have run. */
async function isSettled(settled: Promise<void>): Promise<boolean> {
  let is = false;
  void settled.then(() => (is = true));
  await new Promise((resolve) => setImmediate(resolve));
  return is;
}

describe('the work in flight', () => {
  it('is settled at once when there is none', async () => {
    expect(await isSettled(new InFlight().whenSettled())).toBe(true);
  });

  it('is settled when all that began before has ended, in whatever order', async () => {
    const inFlight = new InFlight();
    const [first, second] = [inFlight.begin(), inFlight.begin()];
    const settled = inFlight.whenSettled();
    second.end();
    expect(await isSettled(settled)).toBe(false);
    first.end();
    expect(await isSettled(settled)).toBe(true);
  });

  it('does not wait for what begins later', async () => {
    const inFlight = new InFlight();
    const early = inFlight.begin();
    const settled = inFlight.whenSettled();
    const late = inFlight.begin();
    early.end();
    expect(await isSettled(settled)).toBe(true);
    const again = inFlight.whenSettled();
    expect(await isSettled(again)).toBe(false);
    late.end();
    expect(await isSettled(again)).toBe(true);
  });

  it('waits for what an earlier question waits for still', async () => {
    const inFlight = new InFlight();
    const early = inFlight.begin();
    const first = inFlight.whenSettled();
    inFlight.begin().end();
    const second = inFlight.whenSettled();
    expect(await isSettled(second)).toBe(false);
    early.end();
    expect(await isSettled(first)).toBe(true);
    expect(await isSettled(second)).toBe(true);
  });
});
