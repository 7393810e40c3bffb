import { afterTurn } from '../../libs/lock/src/core/turn';

/** A turn of the event loop later. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what is called after a turn', () => {
  it('comes after all microtasks of the turn, in the order in which it was asked for', async () => {
    const said: string[] = [];
    afterTurn(() => said.push('first'));
    for (let wait = Promise.resolve(), i = 0; i < 10; i += 1) wait = wait.then(() => void said.push('microtask'));
    void Promise.resolve().then(() => afterTurn(() => said.push('second')));
    await turn();
    expect(said).toEqual([...Array<string>(10).fill('microtask'), 'first', 'second']);
  });

  it('may ask for another turn', async () => {
    const said: string[] = [];
    afterTurn(() => afterTurn(() => said.push('later')));
    await turn();
    expect(said).toEqual(['later']);
  });

  it('loses nobody when one throws', async () => {
    const ofTheRunner = process.listeners('uncaughtException');
    const said: string[] = [];
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', ({ message }) => said.push(message));
    try {
      for (const name of ['before', 'thrown', 'behind', 'last']) {
        afterTurn(() => {
          if (name === 'thrown') throw new Error('on purpose');
          said.push(name);
        });
      }
      await turn();
      await turn();
    } finally {
      for (const listener of ofTheRunner) process.on('uncaughtException', listener);
    }
    expect(said).toEqual(['before', 'on purpose', 'behind', 'last']);
  });
});
