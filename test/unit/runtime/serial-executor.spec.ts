import { describe, expect, it } from '@jest/globals';
import { SerialExecutor } from '../../../libs/lock/src/runtime/serial-executor.js';

/** A turn of the event loop later. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that says when it begins, and ends when the test says so. */
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

describe('the serial executor', () => {
  it('begin when the one before has ended, in the order in which they were asked for', async () => {
    const said: string[] = [];
    const [first, second] = [work(said, 'first'), work(said, 'second')];
    const executor = new SerialExecutor();
    const results = [executor.run(first.run), executor.run(second.run)];
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
    const executor = new SerialExecutor();
    const failed = executor.run(first.run);
    const after = executor.run(async () => 'after');
    await turn();
    first.ending.fail!(new Error('on purpose'));
    await expect(failed).rejects.toThrow('on purpose');
    expect(await after).toBe('after');
  });

  it('are idle when their last caller has its answer, and not before', async () => {
    const executor = new SerialExecutor();
    expect(executor.isIdle).toBe(true);
    const first = executor.run(async () => 1);
    const idleAfter: boolean[] = [];
    void first.then(() => idleAfter.push(executor.isIdle));
    void executor.run(async () => 2).then(() => idleAfter.push(executor.isIdle));
    expect(executor.isIdle).toBe(false);
    await turn();
    expect(idleAfter).toEqual([false, true]);
  });
});
