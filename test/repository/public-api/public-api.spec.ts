import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeApi, readSnapshots, requireBuild, snapshotFile } from '../../../tools/public-api.mjs';

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
    const entries = new Map([['shop', join(folder, 'fixture/index.d.ts')]]);
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
    'open',
    'closed'
];

// exported as openStock
function open(name: string): Stock;
function open(name: string, limit: number): Stock;
`,
    );
  });
});

describe('the build that the API description reads', () => {
  const library = mkdtempSync(join(tmpdir(), 'bedrock-api-'));
  const [source, unit, build] = ['src/shop.ts', 'src/shop.spec.ts', 'dist/.tsbuildinfo'].map((name) =>
    join(library, name),
  ) as [string, string, string];
  const write = (file: string, writtenAt: number) => {
    writeFileSync(file, '');
    utimesSync(file, writtenAt, writtenAt);
  };
  afterAll(() => rmSync(library, { recursive: true }));

  it('is refused when it is missing or older than a source, with a word on what to run', () => {
    for (const folder of ['src', 'dist']) mkdirSync(join(library, folder));
    write(source, 1_000);
    expect(() => requireBuild(library)).toThrow(/dist is missing: run `npm run build` first$/);
    write(build, 999);
    expect(() => requireBuild(library)).toThrow(
      /dist is older than src\/shop\.ts: run `npm run build` first$/,
    );
    write(build, 1_000);
    write(unit, 2_000);
    expect(() => requireBuild(library)).not.toThrow();
  });
});
