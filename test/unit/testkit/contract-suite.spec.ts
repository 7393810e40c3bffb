import { memory, MemoryStore } from 'bedrock-lock/memory';
import {
  contractSuite,
  FaultyBackend,
  LONG_CONTRACT,
  promisesOf,
  SHORT_CONTRACT,
  type ContractPart,
  type TestRunner,
} from 'bedrock-testkit';
import { turn } from './hand-made.js';

/** Collects what a suite registers, so that it can be run by hand. */
class Register implements TestRunner {
  readonly cases = new Map<string, () => Promise<void>>();
  readonly begins: (() => Promise<void>)[] = [];

  describe = (_title: string, body: () => void): void => body();
  it = (title: string, body: () => Promise<void>): void => void this.cases.set(title, body);
  beforeAll = (body: () => Promise<void>): void => void this.begins.push(body);
  afterAll = (): void => undefined;
}

const harnessWithHistory = (history: ReturnType<typeof turn>) => ({
  name: 'hand-made histories',
  backend: async () => memory(),
  runContenders: async () => history,
  freshResource: () => 'r',
  isEmpty: async () => true,
  close: async () => undefined,
});

async function suiteWithHistory(history: ReturnType<typeof turn>, part?: ContractPart): Promise<Register> {
  const register = new Register();
  contractSuite(harnessWithHistory(history), { runner: register, ...(part && { part }) });
  for (const begin of register.begins) await begin();
  return register;
}

describe('contractSuite()', () => {
  it('fails a crowd with two holders at once', async () => {
    const history = [...turn(0, 'a1', 10, 1), ...turn(9, 'b1', 20, 2)];
    const { cases } = await suiteWithHistory(history);
    const tried = cases.get('gives a single caller its turn beside a process with many')!();
    await expect(tried).rejects.toThrow('held "r" together with a1');
  });

  it('fails a crowd in which not every caller had a turn', async () => {
    const { cases } = await suiteWithHistory(turn(0, 'a1', 10, 1));
    const tried = cases.get('gives a single caller its turn beside a process with many')!();
    await expect(tried).rejects.toMatchObject({ code: 'ERR_ASSERTION' });
  });

  it('queues callers one after the other, though the claims of one process take longer', async () => {
    const store = new MemoryStore();
    const backends: FaultyBackend[] = [];
    const register = new Register();
    const harness = {
      ...harnessWithHistory([]),
      kinds: ['fairMutex'],
      backend: async () => {
        const backend = new FaultyBackend(memory({ store }));
        if (backends.push(backend) === 2) backend.plan('claim', { kind: 'delay', requestMs: 50 }, Infinity);
        return backend;
      },
    } as const;
    contractSuite(harness, { runner: register });
    for (const begin of register.begins) await begin();
    backends.length = 0;
    await register.cases.get('is kept across processes, caller by caller')!();
  });

  it('registers the promises of the part that was asked for', async () => {
    const { cases } = await suiteWithHistory([], ({ group }) => group === 'bounds');
    expect([...cases.keys()]).toContain('hold for the number of waiters');
    expect([...cases.keys()].every((promise) => promise.startsWith('hold for '))).toBe(true);
  });
});

describe('promisesOf()', () => {
  const harness = harnessWithHistory([]);

  it('names what contractSuite() registers', async () => {
    const { cases } = await suiteWithHistory([]);
    const names = promisesOf(harness).map((name) => name.split(' › ').at(-1));
    expect(new Set(names)).toEqual(new Set(cases.keys()));
  });

  it('has every promise in the short part or in the rest, and none in both', () => {
    const [short, rest] = [SHORT_CONTRACT, LONG_CONTRACT].map((part) => promisesOf(harness, part));
    expect([...short!, ...rest!].sort()).toEqual(promisesOf(harness).sort());
    expect(short!.length).toBeGreaterThan(0);
  });
});
