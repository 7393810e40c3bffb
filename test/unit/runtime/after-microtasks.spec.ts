import { describe, expect, it } from '@jest/globals';
import { afterMicrotasks, callAll, OncePerTurn } from '../../../libs/lock/src/runtime/after-microtasks.js';

/** A turn of the event loop later. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a callback after a turn', () => {
  it('comes after all microtasks of the turn, in the order in which it was asked for', async () => {
    const said: string[] = [];
    afterMicrotasks(() => said.push('first'));
    for (let wait = Promise.resolve(), i = 0; i < 10; i += 1)
      wait = wait.then(() => void said.push('microtask'));
    void Promise.resolve().then(() => afterMicrotasks(() => said.push('second')));
    await turn();
    expect(said).toEqual([...Array<string>(10).fill('microtask'), 'first', 'second']);
  });

  it('may ask for another turn', async () => {
    const said: string[] = [];
    afterMicrotasks(() => afterMicrotasks(() => said.push('later')));
    await turn();
    expect(said).toEqual(['later']);
  });

  it('loses no other when one throws', () => {
    const said: string[] = [];
    const later: string[] = [];
    const [before, behind, last] = ['before', 'behind', 'last'].map((name) => () => void said.push(name));
    const throws = (): void => {
      throw new Error('on purpose');
    };
    const put = (callback: () => void): void => {
      later.push(callback === behind ? 'behind' : callback === last ? 'last' : 'another');
    };
    expect(() => callAll([before!, throws, behind!, last!], put)).toThrow('on purpose');
    expect([said, later]).toEqual([['before'], ['behind', 'last']]);
    expect(() => callAll([before!, throws], put)).toThrow('on purpose');
    expect(later).toHaveLength(2);
  });
});

describe('work that is done once per turn', () => {
  it('is done after the microtasks, however often it was asked for', async () => {
    const said: string[] = [];
    const once = new OncePerTurn(() => said.push('done'));
    once.schedule();
    void Promise.resolve().then(() => once.schedule());
    void Promise.resolve().then(() => said.push('microtask'));
    await turn();
    expect(said).toEqual(['microtask', 'done']);
  });

  it('is done again when it is asked for while it is done, or later', async () => {
    let times = 0;
    const once: OncePerTurn = new OncePerTurn(() => {
      times += 1;
      if (times === 1) once.schedule();
    });
    once.schedule();
    await turn();
    expect(times).toBe(2);
    once.schedule();
    await turn();
    expect(times).toBe(3);
  });

  it('may wait for another end of the turn, which is chosen when it is asked for', () => {
    const later: (() => void)[] = [];
    let times = 0;
    const once = new OncePerTurn(
      () => (times += 1),
      (callback) => later.push(callback),
    );
    once.schedule();
    once.schedule();
    expect([later.length, times]).toEqual([1, 0]);
    later[0]!();
    expect(times).toBe(1);
  });
});
