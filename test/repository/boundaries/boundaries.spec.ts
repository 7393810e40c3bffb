import { join } from 'node:path';
import { typesDeclaredTwice } from './declarations.js';
import { crowdedFolders, lonelyFiles } from './folders.js';
import { layerOf, violations } from './rules.js';
import { readPackages, readSources, type Package } from './sources.js';

const root = join(import.meta.dirname, '../../..');

describe('the architecture', () => {
  const sources = readSources(root);

  it('has every file in a layer, and every import pointing the right way', () => {
    expect(violations(sources, readPackages(root))).toEqual([]);
  });

  it('has folders that a reader takes in: at most 12 files, and never one file alone', () => {
    expect([...crowdedFolders(sources), ...lonelyFiles(sources)]).toEqual([]);
  });

  it('has one type for each name: none is declared in two files', () => {
    expect(typesDeclaredTwice(sources)).toEqual([]);
  });

  it('was read from the real tree', () => {
    const layers = new Set(sources.map(({ path }) => layerOf(path)));
    expect([...layers]).toEqual(
      expect.arrayContaining(['core', 'entry', 'nestjs', 'testkit', 'cli', 'app:ecosphere']),
    );
  });
});

describe('the boundary checker', () => {
  const packages: Package[] = [
    {
      folder: 'libs/lock',
      name: 'bedrock-lock',
      entries: [
        'bedrock-lock',
        'bedrock-lock/backend',
        'bedrock-lock/integration',
        'bedrock-lock/redis',
        'bedrock-lock/prometheus',
      ],
      declared: ['ioredis'],
      optional: [],
    },
    {
      folder: 'libs/nestjs',
      name: 'nestjs-bedrock',
      entries: ['nestjs-bedrock'],
      declared: ['bedrock-lock', '@nestjs/common', '@nestjs/terminus'],
      optional: ['@nestjs/terminus'],
    },
    {
      folder: 'libs/testkit',
      name: 'bedrock-testkit',
      entries: ['bedrock-testkit'],
      declared: ['bedrock-lock'],
      optional: [],
    },
    {
      folder: 'apps/shop',
      name: 'shop',
      entries: [],
      declared: ['bedrock-lock', 'nestjs-bedrock'],
      optional: [],
    },
  ];

  const tree: Record<string, string> = {
    'libs/lock/src/index.ts': `export { Bedrock } from './bedrock.js';`,
    'libs/lock/src/backend.ts': `export type { Claim } from './core/claim.js';`,
    'libs/lock/src/integration.ts': `export { Engine } from './engine/engine.js';`,
    'libs/lock/src/redis.ts': `export { redis } from './backends/redis/redis-backend.js';`,
    'libs/lock/src/bedrock.ts': `import { Mutex } from './primitives/mutex.js';`,
    'libs/lock/src/primitives/mutex.ts': `import { Engine } from '../engine/engine.js';`,
    'libs/lock/src/engine/engine.ts': `import type { Claim } from '../core/claim.js';`,
    'libs/lock/src/core/claim.ts': `import { randomUUID } from 'node:crypto';`,
    'libs/lock/src/backends/redis/redis-backend.ts': `import { Redis } from 'ioredis'; import '../../core/claim.js';`,
    'libs/lock/src/backends/memory/memory-backend.ts': `import '../../core/claim.js';`,
    'libs/nestjs/src/index.ts': `import { Module } from '@nestjs/common'; import 'bedrock-lock/integration'; import './module.js';`,
    'libs/nestjs/src/module.ts': `import './telemetry/prometheus.js';`,
    'libs/nestjs/src/telemetry/prometheus.ts': `export const late = () => import('bedrock-lock/prometheus');`,
    'libs/nestjs/src/terminus.ts': `import '@nestjs/terminus'; import './module.js';`,
    'libs/testkit/src/index.ts': `import 'bedrock-lock'; import 'bedrock-lock/backend';`,
    'apps/shop/src/main.ts': `import 'bedrock-lock/redis'; import 'nestjs-bedrock'; import './stock.js';`,
    'apps/shop/src/stock.ts': '',
  };

  const check = (changes: Record<string, string>) =>
    violations(
      Object.entries({ ...tree, ...changes }).map(([path, text]) => ({ path, text })),
      packages,
    );

  it('accepts a tree that follows the picture', () => {
    expect(check({})).toEqual([]);
  });

  it.each([
    ['core', 'libs/lock/src/core/claim.ts', '../engine/engine.js', 'core may not import engine'],
    [
      'engine',
      'libs/lock/src/engine/engine.ts',
      '../primitives/mutex.js',
      'engine may not import primitives',
    ],
    [
      'engine',
      'libs/lock/src/engine/engine.ts',
      '../backends/memory/memory-backend.js',
      'engine may not import backend:memory',
    ],
    ['engine', 'libs/lock/src/engine/engine.ts', 'ioredis', 'engine may not use packages'],
    ['primitives', 'libs/lock/src/primitives/mutex.ts', '../bedrock.js', 'primitives may not import root'],
    [
      'the composition root',
      'libs/lock/src/bedrock.ts',
      './backends/redis/redis-backend.js',
      'root may not import backend:redis',
    ],
    ['the main entry', 'libs/lock/src/index.ts', './redis.js', 'entry may not import entry:redis'],
    [
      'the entry of backends',
      'libs/lock/src/backend.ts',
      './engine/engine.js',
      'entry:backend may not import engine',
    ],
    [
      'the entry of integrations',
      'libs/lock/src/integration.ts',
      './bedrock.js',
      'entry:integration may not import root',
    ],
    [
      'a subpath',
      'libs/lock/src/redis.ts',
      './backends/memory/memory-backend.js',
      'entry:redis may not import backend:memory',
    ],
    [
      'a backend',
      'libs/lock/src/backends/redis/redis-backend.ts',
      '../memory/memory-backend.js',
      'backend:redis may not import backend:memory',
    ],
    [
      'a backend',
      'libs/lock/src/backends/redis/redis-backend.ts',
      '../../engine/engine.js',
      'backend:redis may not import engine',
    ],
    ['a backend', 'libs/lock/src/backends/redis/redis-backend.ts', 'undeclared', 'does not declare'],
    ['nestjs', 'libs/nestjs/src/index.ts', 'bedrock-lock/redis', 'nestjs may not import it'],
    ['nestjs', 'libs/nestjs/src/index.ts', '../../lock/src/core/claim.js', 'leaves its package'],
    ['testkit', 'libs/testkit/src/index.ts', 'bedrock-lock/redis', 'testkit may not import it'],
    [
      'an application',
      'apps/shop/src/main.ts',
      'bedrock-lock/src/core/claim.js',
      'no public entry of bedrock-lock',
    ],
    ['an application', 'apps/shop/src/main.ts', '../../../libs/lock/src/index.js', 'leaves its package'],
    ['an application', 'apps/shop/src/main.ts', 'bedrock-testkit', 'does not declare'],
    ['any file', 'apps/shop/src/main.ts', './missing.js', 'does not exist'],
  ])('catches %s: %s → %s', (_who, path, specifier, reason) => {
    const forms = [
      `import { x } from '${specifier}';`,
      `import type { X } from '${specifier}';`,
      `export type Y = import('${specifier}').Y;`,
      `export { x } from '${specifier}';`,
      `export const late = () => import('${specifier}');`,
      `import '${specifier}';`,
    ];
    for (const form of forms) {
      const found = check({ [path]: `${tree[path]}\n${form}` }).filter((line) => !line.startsWith('circle'));
      expect(found).toEqual([expect.stringContaining(reason)]);
      expect(found[0]).toContain(`${path}: imports ${specifier}`);
    }
  });

  it.each([
    ['itself', 'libs/nestjs/src/index.ts', `import '@nestjs/terminus';`],
    ['by another file', 'libs/nestjs/src/module.ts', `export type { Health } from '@nestjs/terminus';`],
  ])('catches an optional peer that the main entry loads %s', (_how, path, line) => {
    expect(check({ [path]: `${tree[path]}\n${line}` })).toEqual([
      `${path}: imports @nestjs/terminus, an optional peer, and libs/nestjs/src/index.ts loads it`,
    ]);
  });

  it('catches telemetry that loads the package of a user at the start', () => {
    const path = 'libs/nestjs/src/telemetry/prometheus.ts';
    expect(check({ [path]: `import type { CollectOptions } from 'bedrock-lock/prometheus';` })).toEqual([]);
    expect(check({ [path]: `import { collect } from 'bedrock-lock/prometheus';` })).toEqual([
      `${path}: imports bedrock-lock/prometheus, which needs an optional package: import() it when it is needed`,
    ]);
  });

  it('lets the main entry load an optional peer when it is needed', () => {
    const line = `export const late = () => import('@nestjs/terminus');`;
    expect(check({ 'libs/nestjs/src/module.ts': line })).toEqual([]);
  });

  it('catches a circle, also one of types', () => {
    expect(
      check({
        'libs/lock/src/core/claim.ts': `import type { Grant } from './grant.js';`,
        'libs/lock/src/core/grant.ts': `import { lease } from './lease.js';`,
        'libs/lock/src/core/lease.ts': `import type { Claim } from './claim.js';`,
      }),
    ).toEqual([
      'circle: libs/lock/src/core/claim.ts → libs/lock/src/core/grant.ts → libs/lock/src/core/lease.ts → libs/lock/src/core/claim.ts',
    ]);
  });

  it('catches a circle of folders that no two files close', () => {
    expect(
      check({
        'libs/lock/src/engine/waiting/queue.ts': `import '../holding/hold.js';`,
        'libs/lock/src/engine/holding/hold.ts': '',
        'libs/lock/src/engine/holding/keeper.ts': `import '../waiting/alarm.js';`,
        'libs/lock/src/engine/waiting/alarm.ts': '',
      }),
    ).toEqual([
      'circle of folders: libs/lock/src/engine/waiting → libs/lock/src/engine/holding → libs/lock/src/engine/waiting',
    ]);
  });

  it('keeps a family from its own members, and its members apart', () => {
    const [zookeeper, family] = ['session-queue/zookeeper/link.ts', 'session-queue/queue.ts'];
    const from = (path: string, to: string) =>
      check({
        [`libs/lock/src/backends/${zookeeper}`]: '',
        [`libs/lock/src/backends/${family}`]: '',
        'libs/lock/src/backends/session-queue/etcd/link.ts': '',
        'libs/lock/src/backends/sql/rows.ts': '',
        [`libs/lock/src/backends/${path}`]: `import '${to}';`,
      }).filter((line) => !line.startsWith('circle'));
    expect(from(zookeeper, '../queue.js')).toEqual([]);
    expect(from(family, './zookeeper/link.js')).toEqual([
      expect.stringContaining('backend:session-queue may not import backend:zookeeper'),
    ]);
    expect(from(zookeeper, '../etcd/link.js')).toEqual([
      expect.stringContaining('backend:zookeeper may not import backend:etcd'),
    ]);
    expect(from(zookeeper, '../../sql/rows.js')).toEqual([
      expect.stringContaining('backend:zookeeper may not import backend:sql'),
    ]);
  });

  it('lets every backend use the kit, which imports no backend, no engine and no package', () => {
    const from = (path: string, to: string) =>
      check({
        'libs/lock/src/backends/kit/waker-map.ts': '',
        'libs/lock/src/runtime/backoff.ts': '',
        'libs/lock/src/backends/sql/postgres/listener.ts': '',
        [`libs/lock/src/backends/${path}`]: `import '${to}';`,
      });
    expect(from('sql/postgres/listener.ts', '../../kit/waker-map.js')).toEqual([]);
    expect(from('memory/memory-backend.ts', '../kit/waker-map.js')).toEqual([]);
    expect(from('kit/waker-map.ts', '../../runtime/backoff.js')).toEqual([]);
    expect(from('kit/waker-map.ts', '../sql/postgres/listener.js')).toEqual([
      expect.stringContaining('backend:kit may not import backend:postgres'),
    ]);
    expect(from('kit/waker-map.ts', '../../engine/engine.js')).toEqual([
      expect.stringContaining('backend:kit may not import engine'),
    ]);
    expect(from('kit/waker-map.ts', 'ioredis')).toEqual([
      expect.stringContaining('backend:kit may not use packages'),
    ]);
  });

  it('catches a folder with too many files, and a file with a folder for itself', () => {
    const files = Array.from({ length: 13 }, (_, n) => ({
      path: `libs/lock/src/core/file-${n}.ts`,
      text: '',
    }));
    const [index, alone] = ['libs/lock/src/core/index.ts', 'libs/lock/src/core/ports/ports.ts'];
    const all = [...files, ...[index, alone].map((path) => ({ path, text: '' }))];
    expect(crowdedFolders(all)).toEqual(['libs/lock/src/core: has 13 files, and may have 12']);
    expect(crowdedFolders(all.slice(1))).toEqual([]);
    expect(lonelyFiles(all)).toEqual([`${alone}: is alone in libs/lock/src/core/ports`]);
  });

  it('catches a file outside of every layer', () => {
    expect(check({ 'libs/lock/src/helpers/misc.ts': '' })).toEqual([
      'libs/lock/src/helpers/misc.ts: belongs to no layer',
    ]);
  });

  it('is not fooled by text in comments and strings', () => {
    const text = `// import '../engine/engine.js';\nexport const s = "import '../engine/engine.js'";`;
    expect(check({ 'libs/lock/src/core/claim.ts': text })).toEqual([]);
  });
});

describe('the check of declarations', () => {
  it('finds a type that two files of the libraries declare, private or not, and leaves applications alone', () => {
    const sources = [
      { path: 'libs/lock/src/core/a.ts', text: 'export interface Grant { readonly id: string }' },
      { path: 'libs/nestjs/src/b.ts', text: 'class Grant {}\ntype Other = string;' },
      { path: 'apps/shop/src/c.ts', text: 'interface Other { readonly id: string }' },
    ];
    expect(typesDeclaredTwice(sources)).toEqual(['Grant: libs/lock/src/core/a.ts, libs/nestjs/src/b.ts']);
  });
});
