import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEtcd, startMariadb, startPostgres, startZooKeeper, type RunningServer } from 'bedrock-servers';
import { LONG_LEASE, LONG_TIMEOUT, SALE_LEASE, ecosphere } from './ecosphere-command.js';

const SALE = ['--processes', '2', '--buyers', '100', '--purchases', '400', ...SALE_LEASE];
/** What an etcd of Debian is warned of. */
const OLD_ETCD = /^.*BEDROCK_ETCD_VERSION.*\n.*--trace-warnings.*\n/gm;
const ALL_SOLD = 'flash sale: sold 400 of 400, oversold 0, overlaps 0';

/** What each scenario says last, with short rounds. */
const SCENARIOS = [
  ['lock-time', ['--rounds', '50'], 'lock time: cycles 60, sound 60'],
  ['contention', ['--rounds', '5'], 'contention: turns 100, lost updates 0, overlaps 0'],
  [
    'lock-delay',
    LONG_LEASE,
    expect.stringMatching(/^lock delay: held 6000 ms on leases of 3000 ms, .* lost 0$/),
  ],
] as const;

describe.each([
  ['zookeeper', 'a ZooKeeper of this run', startZooKeeper],
  ['etcd', 'an etcd of this run', startEtcd],
  ['mysql', 'a MariaDB of this run', startMariadb],
  ['postgres', 'a PostgreSQL of this run', startPostgres],
] as const)('ecosphere on %s', (backend, server, start) => {
  const on = ['--backend', backend, ...LONG_TIMEOUT];
  let given: RunningServer;

  beforeAll(async () => {
    given = await start();
  }, 60_000);
  afterAll(() => given?.stop());

  it('sells each item once, in two processes, on a server that it starts', async () => {
    const outcome = await ecosphere([...on, ...SALE]);
    expect(outcome.stderr.replace(OLD_ETCD, '')).toBe('');
    expect(outcome).toMatchObject({ lastLine: ALL_SOLD, code: 0 });
    expect(outcome.stdout).toContain(`locks on ${server}, stock on a redis-server`);
  }, 90_000);

  it.each(SCENARIOS)(
    'keeps the promises of %s on a given server',
    async (scenario, args, verdict) => {
      const { code, lastLine, stderr } = await ecosphere([
        ...[...on, '--url', given.url],
        ...['--scenario', scenario, ...args],
      ]);
      expect({ code, lastLine, said: stderr.replace(OLD_ETCD, '') }).toEqual({
        code: 0,
        lastLine: verdict,
        said: '',
      });
    },
    60_000,
  );

  it('says which server does not answer, and ends', async () => {
    const port = 9;
    const url = { zookeeper: 'zookeeper', etcd: 'http', mysql: 'mysql', postgres: 'postgres' }[backend];
    const outcome = await ecosphere([
      '--backend',
      backend,
      '--url',
      `${url}://127.0.0.1:${port}/x`,
      '--purchases',
      '10',
    ]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toMatch(/127\.0\.0\.1|connect|answer/);
  }, 30_000);
});
