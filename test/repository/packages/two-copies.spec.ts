import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Manifest {
  readonly exports: Readonly<Record<string, object | string>>;
  readonly typesVersions?: { readonly '*': Readonly<Record<string, readonly string[]>> };
}

interface Seen {
  readonly copies: number;
  readonly differences: Readonly<Record<string, readonly string[]>>;
  readonly [what: string]: unknown;
}

const libraries = join(import.meta.dirname, '../../../libs');

describe('package.json of every library', () => {
  it.each(readdirSync(libraries))('offers every entry to import and require(): %s', (library) => {
    const manifest = JSON.parse(readFileSync(join(libraries, library, 'package.json'), 'utf8')) as Manifest;
    for (const [subpath, target] of Object.entries(manifest.exports)) {
      if (subpath === './package.json') continue;
      const name = subpath === '.' ? 'index' : subpath.slice('./'.length);
      const conditions = library === 'lock' ? oneBuild(name) : twoBuilds(name);
      // The order counts: a resolver takes the first condition that it knows.
      expect(Object.entries(target)).toEqual(Object.entries(conditions));
      const { types } = conditions.require;
      if (subpath !== '.') expect(manifest.typesVersions?.['*']).toHaveProperty([name], [types]);
    }
  });
});

function oneBuild(name: string) {
  return {
    import: { types: `./dist/${name}.d.mts`, default: `./dist/${name}.mjs` },
    require: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
  };
}

/** A resolver that knows `module-sync` takes the ES module for `require()`, too: or a process gets two copies. */
function twoBuilds(name: string) {
  const esm = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` };
  const cjs = { types: `./dist/cjs/${name}.d.ts`, default: `./dist/cjs/${name}.js` };
  return { 'module-sync': esm, import: esm, require: cjs };
}

// Where two copies meet in one process: two versions; of nestjs-bedrock, Node below 20.19, bundlers, Jest with ES modules.
describe('two copies in one process', () => {
  let seen: Seen;
  beforeAll(async () => {
    const program = join(import.meta.dirname, 'two-copies.mjs');
    const env = { ...process.env, NODE_OPTIONS: '' };
    seen = JSON.parse((await promisify(execFile)(process.execPath, [program], { env })).stdout) as Seen;
  });

  it('are two copies indeed', () => expect(seen.copies).toBe(2));

  it('are one copy of bedrock-lock for import and require() of one version', () =>
    expect(seen['formats']).toBe(1));

  it('export the same names at every entry of every library', () => {
    expect(seen.differences).toMatchObject({
      'lock/index': [],
      'lock/memory': [],
      'lock/redis': [],
      'nestjs/index': [],
      'testkit/index': [],
    });
    expect(Object.values(seen.differences).flat()).toEqual([]);
  });

  it('refuse a second Bedrock on a backend that the other copy serves', () =>
    expect(seen['secondBedrock']).toBe('INVALID_OPTION'));

  it('see the lease of each other', () => expect(seen['lease']).toBe(true));

  it('see nested calls of each other', () => expect(seen['nested']).toBe(true));

  it('lock and unlock in a flow of each other', () => expect(seen['flow']).toBe('released'));

  it('pass on the errors of a backend of each other', () =>
    expect(seen['foreignError']).toBe('LOCK_TYPE_MISMATCH'));

  it('run a decorated method in a module of each other', () => expect(seen['decorated']).toBe('orders'));

  it('obey the policies of a decorated method for errors of each other', () => {
    expect(seen['onBusy']).toEqual(['LOCK_BUSY', 'LOCK_WAIT_TIMEOUT', 'QUEUE_FULL']);
    expect(seen['onLost']).toBe('LOCK_LOST');
  });
});
