import { memory } from 'bedrock-lock/memory';
import { contractSuite, type TestRunner } from 'bedrock-testkit';
import { turn } from './hand-made.js';

/** Collects what a suite registers, so that it can be run by hand. */
class Register implements TestRunner {
  readonly cases = new Map<string, () => Promise<void>>();
  readonly ends: (() => Promise<void>)[] = [];

  describe = (_title: string, body: () => void): void => body();
  it = (title: string, body: () => Promise<void>): void => void this.cases.set(title, body);
  beforeAll = (): void => undefined;
  afterAll = (body: () => Promise<void>): void => void this.ends.push(body);
}

function suiteWhoseCrowdsSay(history: ReturnType<typeof turn>): Register {
  const register = new Register();
  contractSuite(
    {
      name: 'hand-made histories',
      backend: async () => memory(),
      crowd: async () => history,
      freshResource: () => 'r',
      isEmpty: async () => true,
      close: async () => undefined,
    },
    register,
  );
  return register;
}

describe('contractSuite()', () => {
  it('fails as a whole after two holders at once, though the runner forgets the case that saw them', async () => {
    const { cases, ends } = suiteWhoseCrowdsSay([...turn(0, 'a1', 10, 1), ...turn(9, 'b1', 20, 2)]);
    await cases.get('gives a single caller its turn beside a process with many')!().catch(() => undefined);
    await expect(ends[0]!()).rejects.toThrow('held "r" together with a1');
  });

  it('ends well after a case that failed for another reason', async () => {
    const { cases, ends } = suiteWhoseCrowdsSay(turn(0, 'a1', 10, 1));
    const tried = cases.get('gives a single caller its turn beside a process with many')!();
    await expect(tried).rejects.toMatchObject({ code: 'ERR_ASSERTION' });
    await expect(ends[0]!()).resolves.toBeUndefined();
  });
});
