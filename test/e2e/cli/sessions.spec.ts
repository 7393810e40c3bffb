import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMariadb, startPostgres, startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { createConnection } from 'mysql2/promise';
import { bedrock, startBedrock, type Outcome } from './bedrock-command.js';

interface Listed {
  readonly resource: string;
  readonly holders: readonly { readonly id: string }[];
}

describe('bedrock --sessions', () => {
  let postgres: RunningServer;
  let mariadb: RunningServer;

  beforeAll(async () => {
    [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
    const first = ['run', '--url', postgres.url, '--sessions', 'first', '--', 'true'];
    const { code, stderr } = await bedrock(first);
    expect([code, stderr]).toEqual([69, expect.stringContaining('make the tables with ensureSchema()')]);
    // Makes the sequence of the tokens too.
    expect((await bedrock(['run', '--create-tables', ...first.slice(1)])).code).toBe(0);
    const connection = await createConnection({ uri: mariadb.url });
    await connection.query("INSTALL SONAME 'metadata_lock_info'");
    connection.destroy();
  }, 90_000);
  afterAll(() => Promise.all([postgres, mariadb].map((server) => server?.stop())));

  it.each([
    ['PostgreSQL', () => postgres.url, /^advisory:-?\d+$/],
    ['MariaDB', () => mariadb.url, /^nightly$/],
  ])(
    'runs under a lock of a session on %s, lists it and waits for it',
    async (_, url, listedAs) => {
      const on = (verb: string, ...rest: string[]): Promise<Outcome> =>
        bedrock([verb, '--url', url(), '--sessions', ...rest]);
      const running = startBedrock([
        'run',
        '--url',
        url(),
        '--sessions',
        'nightly',
        '--',
        'sh',
        '-c',
        'echo on; exec sleep 60',
      ]);
      await eventually('the command runs', () => running.said.stdout.includes('on'), { withinMs: 20_000 });

      expect((await on('run', '--wait', '0s', 'nightly', '--', 'true')).code).toBe(75);
      // A lock of the rows is another one.
      if (url() === postgres.url)
        expect((await bedrock(['run', '--url', url(), '--wait', '0s', 'nightly', '--', 'true'])).code).toBe(
          0,
        );
      const { resource, holders } = JSON.parse((await on('ls', '--json')).stdout) as Listed;
      expect(resource).toMatch(listedAs);
      expect(holders).toMatchObject([{ id: expect.stringMatching(/^session:\d+$/), remainingMs: null }]);
      expect((await on('ls')).stdout).toContain(`${resource}  ${holders[0]!.id}  exclusive`);
      for (const name of ['nightly', resource])
        expect((await on('show', name)).stdout).toMatch(
          new RegExp(`^${name} is held\n(.|\n)*${holders[0]!.id}`),
        );
      expect(await on('release', '--yes', 'nightly')).toMatchObject({
        code: 64,
        stderr: 'error: only its session can free such a lock: end the session in the database\n',
      });
      expect(await on('processes')).toMatchObject({ code: 0, stderr: 'no process is known\n' });

      running.process.kill('SIGTERM');
      expect((await running.ended).code).toBe(128 + 15);
      expect((await on('wait', '--wait', '5s', 'nightly')).code).toBe(0);
      expect(await on('show', 'nightly')).toMatchObject({ code: 0, stdout: 'nightly is free\n' });
    },
    60_000,
  );

  it.each([
    ['--create-tables', () => mariadb.url, ['--create-tables']],
    ['--through-pooler', () => postgres.url, ['--through-pooler']],
    ['--table-prefix', () => mariadb.url, ['--table-prefix', 'app_']],
  ])('refuses %s, which is for rows', async (option, url, args) => {
    expect(await bedrock(['ls', '--url', url(), '--sessions', ...args])).toMatchObject({
      code: 64,
      stderr: `error: ${option} is an option of rows: leave it or --sessions out\n`,
    });
  });

  it('is no option of Redis, and none of the doctor', async () => {
    const redis = await startRedis();
    try {
      expect(await bedrock(['ls', '--url', redis.url, '--sessions'])).toMatchObject({
        code: 64,
        stderr: 'error: --sessions is an option of postgres and mysql, not of redis\n',
      });
    } finally {
      await redis.stop();
    }
    expect(await bedrock(['doctor', '--url', postgres.url, '--sessions'])).toMatchObject({
      code: 64,
      stderr: 'error: doctor examines the locks of rows: leave --sessions out\n',
    });
  });
});
