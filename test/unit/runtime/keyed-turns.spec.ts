import { describe, expect, it } from '@jest/globals';
import { Turns } from '../../../libs/lock/src/runtime/keyed-turns.js';

/** A turn of the event loop later. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that tells when it begins and ends when it is told to. */
function work(said: string[], name: string) {
  const ending: { done?: () => void; fail?: (error: Error) => void } = {};
  const run = (): Promise<string> => {
    said.push(name);
    return new Promise((resolve, reject) => {
      ending.done = () => resolve(name);
      ending.fail = reject;
    });
  };
  return { run, ending };
}

describe('turns', () => {
  it('begin when the one before has ended, in the order in which they were asked for', async () => {
    const said: string[] = [];
    const [first, second] = [work(said, 'first'), work(said, 'second')];
    const turns = new Turns();
    const results = [turns.run(first.run), turns.run(second.run)];
    await turn();
    expect(said).toEqual(['first']);
    first.ending.done!();
    await turn();
    expect(said).toEqual(['first', 'second']);
    second.ending.done!();
    expect(await Promise.all(results)).toEqual(['first', 'second']);
  });

  it('go on after one that has failed, whose caller alone hears of it', async () => {
    const said: string[] = [];
    const first = work(said, 'first');
    const turns = new Turns();
    const failed = turns.run(first.run);
    const after = turns.run(async () => 'after');
    await turn();
    first.ending.fail!(new Error('on purpose'));
    await expect(failed).rejects.toThrow('on purpose');
    expect(await after).toBe('after');
  });

  it('are idle when their last caller has its answer, and not before', async () => {
    const turns = new Turns();
    expect(turns.isIdle).toBe(true);
    const first = turns.run(async () => 1);
    const idleAfter: boolean[] = [];
    void first.then(() => idleAfter.push(turns.isIdle));
    void turns.run(async () => 2).then(() => idleAfter.push(turns.isIdle));
    expect(turns.isIdle).toBe(false);
    await turn();
    expect(idleAfter).toEqual([false, true]);
  });
});
