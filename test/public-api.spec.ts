import { join } from 'node:path';
import { describeApi, readSnapshots, snapshotFile } from '../tools/public-api.mjs';

const folder = import.meta.dirname;

describe('the public API', () => {
  const described = describeApi();
  const committed = readSnapshots();

  // A change here is a change for users: `npm run api -- --update` writes it, a reviewer reads it.
  it.each([...described.keys()])('of %s is the one that was reviewed', (entry) => {
    expect(described.get(entry)).toBe(committed.get(snapshotFile(entry)));
  });

  it('has no snapshot of an entry that is gone', () => {
    expect([...committed.keys()].sort()).toEqual([...described.keys()].map(snapshotFile).sort());
  });
});

describe('the API description', () => {
  it('shows names, kinds and signatures, and nothing private', () => {
    const entries = new Map([['shop', join(folder, 'public-api/fixture/index.ts')]]);
    expect(describeApi(entries).get('shop')).toBe(
      `# shop

abstract class Counter {
    readonly name: string;
    protected seen: number;
    static readonly zero = 0;
    constructor(name: string, limit: number);
    left(): number;
}

type Mode = 'open' | 'closed';

export Redis from 'ioredis';

interface Stock {
    readonly left: number;
    take(count: number): Promise<boolean>;
}

const modes: readonly [
    "open",
    "closed"
];

// exported as openStock
function open(name: string): Stock;
function open(name: string, limit: number): Stock;
`,
    );
  });
});
