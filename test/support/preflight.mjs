/**
 * Jest's `globalSetup`: embeds the Lua scripts that changed. Then it finds or installs all packages and servers that the
 * chosen spec files need, before the first of them, and starts one of each server for the files that may share it. A file that Jest runs
 * without `tools/test.mjs` starts its own.
 */
import { embed } from '../../tools/embed-lua.mjs';
import { installOwnPackages } from '../../tools/own-packages.mjs';

const PROGRAMS = {
  redis: ['redis'],
  zookeeper: ['zookeeper'],
  etcd: ['etcd'],
  mysql: ['mariadb'],
  postgres: ['postgres'],
  chromium: ['chromium'],
  prometheus: ['prometheus'],
  pgbouncer: ['pgbouncer'],
  shells: ['shells'],
  redisson: ['jdk', 'maven'],
  sqlite: ['sqlite'],
};
/** Folders with packages of their own. */
const FOLDERS = { packages: 'test', orms: 'test/orm' };
const SHARED = {
  redis: { variable: 'REDIS_URL', start: 'startRedis' },
  zookeeper: { variable: 'ZOOKEEPER_URL', start: 'startZooKeeper' },
  etcd: { variable: 'ETCD_URL', start: 'startEtcd' },
  mysql: { variable: 'MYSQL_URL', start: 'startMariadb' },
  postgres: { variable: 'POSTGRES_URL', start: 'startPostgres' },
};

/** Servers of this run, for the teardown. */
export const started = [];

export default async function preflight() {
  embed();
  const needs = (process.env['BEDROCK_TEST_NEEDS'] ?? '').split(',').filter(Boolean);
  if (needs.length === 0) return;
  // This is the build. A run of Jest alone names no needs, so it works without one.
  const servers = await import('bedrock-servers');
  await together([
    ...Object.entries(FOLDERS).map(([need, folder]) => async () => {
      if (needs.includes(need)) installOwnPackages(folder);
    }),
    () => servers.ensureServers(needs.flatMap((need) => PROGRAMS[need] ?? [])),
  ]);
  const shared = needs
    .map((need) => SHARED[need])
    .filter((one) => one !== undefined && !process.env[one.variable]);
  await Promise.all(
    shared.map(async ({ variable, start }) => {
      const server = await servers[start]();
      started.push(server);
      // Workers start later, with this environment.
      process.env[variable] = server.url;
    }),
  );
}

/** @param {readonly (() => Promise<unknown>)[]} tasks @throws one error that lists everything missing */
async function together(tasks) {
  const errors = [];
  for (const task of tasks) await task().catch((error) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n\n'));
}
