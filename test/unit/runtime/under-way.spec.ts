import { describe, expect, it } from '@jest/globals';
import { UnderWay } from '../../../libs/lock/src/runtime/under-way.js';

/** Whether it has settled when all microtasks have run. */
async function isSettled(settled: Promise<void>): Promise<boolean> {
  let is = false;
  void settled.then(() => (is = true));
  await new Promise((resolve) => setImmediate(resolve));
  return is;
}

describe('what is under way', () => {
  it('is settled at once when nothing is', async () => {
    expect(await isSettled(new UnderWay().settled())).toBe(true);
  });

  it('is settled when all that began before has ended, in whatever order', async () => {
    const underWay = new UnderWay();
    const [first, second] = [underWay.begin(), underWay.begin()];
    const settled = underWay.settled();
    second.end();
    expect(await isSettled(settled)).toBe(false);
    first.end();
    expect(await isSettled(settled)).toBe(true);
  });

  it('does not wait for what begins later', async () => {
    const underWay = new UnderWay();
    const early = underWay.begin();
    const settled = underWay.settled();
    const late = underWay.begin();
    early.end();
    expect(await isSettled(settled)).toBe(true);
    const again = underWay.settled();
    expect(await isSettled(again)).toBe(false);
    late.end();
    expect(await isSettled(again)).toBe(true);
  });

  it('waits for what an earlier question waits for still', async () => {
    const underWay = new UnderWay();
    const early = underWay.begin();
    const first = underWay.settled();
    underWay.begin().end();
    const second = underWay.settled();
    expect(await isSettled(second)).toBe(false);
    early.end();
    expect(await isSettled(first)).toBe(true);
    expect(await isSettled(second)).toBe(true);
  });
});
