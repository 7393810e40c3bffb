import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureServers, type Remedies } from './src/ensure-servers.js';
import { NotHere } from './src/finding.js';

// Debian has these on PATH alone; of the others it has some in folders of its own.
const ON_PATH = ['redis', 'etcd', 'maven', 'sqlite'] as const;
const VARIABLES = [
  'PATH',
  'REDIS_SERVER_BIN',
  'ETCD_BIN',
  'MVN_BIN',
  'BEDROCK_SQLITE3',
  'REDIS_URL',
  'ETCD_URL',
];

describe('what the tests need', () => {
  const before = { ...process.env };
  let folder: string;
  const installed: string[][] = [];

  /** Nothing is here that would be found by itself: neither an engine nor a right to install. */
  const remedies = (more: Partial<Remedies> = {}): Remedies => ({
    hasEngine: async () => false,
    install: async (packages) => {
      installed.push([...packages]);
      throw new NotHere('not root');
    },
    ...more,
  });
  const add = (program: string): void => {
    writeFileSync(join(folder, program), '#!/bin/sh\n');
    chmodSync(join(folder, program), 0o755);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bedrock-needs-'));
    for (const variable of VARIABLES) delete process.env[variable];
    process.env['PATH'] = folder;
    installed.length = 0;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    for (const variable of VARIABLES) {
      if (before[variable] === undefined) delete process.env[variable];
      else process.env[variable] = before[variable];
    }
  });

  it('is found without installing anything', async () => {
    add('redis-server');
    process.env['MVN_BIN'] = process.execPath;
    await expect(ensureServers(['redis', 'maven', 'redis'], remedies())).resolves.toEqual([
      { name: 'redis', path: join(folder, 'redis-server'), source: 'local' },
      { name: 'maven', path: process.execPath, source: 'local' },
    ]);
    expect(installed).toEqual([]);
  });

  it('is installed in one go', async () => {
    add('etcd');
    const install: Remedies['install'] = async (packages, isThere) => {
      installed.push([...packages]);
      expect(isThere()).toBe(false);
      ['redis-server', 'mvn', 'sqlite3'].forEach(add);
      expect(isThere()).toBe(true);
    };
    const found = await ensureServers(ON_PATH, remedies({ install }));
    expect(installed).toEqual([['redis-server', 'maven', 'sqlite3']]);
    expect(Object.fromEntries(found.map(({ name, source }) => [name, source]))).toEqual({
      ...{ etcd: 'local', redis: 'debian', maven: 'debian', sqlite: 'debian' },
    });
  });

  it('is reported in one error that lists all that is missing and how to get each', async () => {
    const told = ensureServers(ON_PATH, remedies());
    const redis =
      'Debian: apt-get install redis-server; Homebrew: brew install redis; or set REDIS_SERVER_BIN';
    await expect(told).rejects.toThrow(`${redis}; or start a container engine`);
    const { message } = (await told.catch((error: unknown) => error)) as Error;
    expect(message.match(/^ {2}- \w+/gm)).toEqual(['  - redis', '  - etcd', '  - maven', '  - sqlite']);
    expect(message).toContain('or set BEDROCK_SQLITE3\n');
    expect(message).toMatch(/\nNothing was installed: not root$/);
    expect(installed).toHaveLength(1);
  });

  it('is not missing where a server can run in a container, programs aside', async () => {
    const hasEngine = async (): Promise<boolean> => true;
    await expect(ensureServers(['redis', 'etcd'], remedies({ hasEngine }))).resolves.toEqual([
      { name: 'redis', path: undefined, source: 'testcontainers' },
      { name: 'etcd', path: undefined, source: 'testcontainers' },
    ]);
    expect(installed).toEqual([]);
    await expect(ensureServers(['redis', 'maven'], remedies({ hasEngine }))).rejects.toThrow(/^ {2}- maven/m);
    expect(installed).toEqual([['maven']]);
  });

  it('is not installed where a variable names what cannot be run', async () => {
    process.env['ETCD_BIN'] = '/no/such/etcd';
    await expect(ensureServers(['etcd'], remedies())).rejects.toThrow(
      '- etcd: ETCD_BIN names "/no/such/etcd"',
    );
    expect(installed).toEqual([]);
  });

  it('is a server that answers where a variable names a shared one, beside a server of its own', async () => {
    process.env['REDIS_URL'] = 'redis://127.0.0.1:1';
    const nothing = expect(ensureServers(['redis'], remedies())).rejects;
    await nothing.toThrow(/no Redis answers there[^]*serves only tests that may share/);
    add('redis-server');
    await expect(ensureServers(['redis'], remedies())).rejects.toThrow('no Redis answers there');
  });
});

it('everything is here, or is got, for all tests of this repository', async () => {
  const names = [
    'redis',
    'zookeeper',
    'etcd',
    'mariadb',
    'postgres',
    'chromium',
    'prometheus',
    'jdk',
    'maven',
    'sqlite',
  ] as const;
  const found = await ensureServers(names);
  expect(found.map(({ name }) => name).sort()).toEqual([...names].sort());
}, 600_000);
