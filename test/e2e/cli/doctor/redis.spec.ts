import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startProxy, startRedis, startSentinels, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bedrock } from '../bedrock-command.js';
import { Findings, PATIENT, USUAL } from './findings.js';

const ROOT = join(import.meta.dirname, '../../../..');
/** Every grant is on the disk: a server without a fault. */
const WELL = ['--appendonly', 'yes', '--appendfsync', 'always', '--repl-diskless-sync-delay', '0'];

let server: RunningServer;
let client: Redis;

beforeAll(async () => {
  server = await startRedis({ args: WELL });
  client = new Redis(server.url);
}, 60_000);
afterAll(async () => {
  client?.disconnect();
  await server?.stop();
});
afterEach(async () => {
  await client.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0');
  await client.config('SET', 'min-replicas-to-write', '0', 'appendonly', 'yes', 'appendfsync', 'always');
  await client.flushall();
});

const doctor = (...args: string[]): Promise<Findings> => Findings.of(['--url', server.url, ...args]);

describe('bedrock doctor on a Redis', () => {
  it('finds nothing where all is well, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await bedrock(['doctor', '--url', server.url, ...PATIENT]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^127.0.0.1:${server.port}\n  ok +reachable +it answers\n`));
    expect(stdout).toMatch(/ok +version +Redis \d/);
    expect(stdout).toMatch(/ok +rights +all needed rights are granted/);
    expect(stdout).toMatch(/ok +locks +taken and released: mutex, fair mutex, reader, writer, semaphore\n/);
    expect(stdout.endsWith('\n\n0 problems, 0 notes\n')).toBe(true);
    expect((await client.keys('*')).filter((key) => key !== 'bedrock_token')).toEqual([]);
  });

  it('finds a policy that deletes locks, and names the section of the page', async () => {
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const { code, stdout } = await bedrock(['doctor', '--url', server.url, ...PATIENT]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/problem +eviction +maxmemory-policy is allkeys-lru, which may delete locks/);
    expect(stdout).toContain('docs/operations/doctor.md#eviction\n');
    expect(stdout.endsWith('\n\n1 problem, 0 notes\n')).toBe(true);
  });

  it('finds a server that is nearly full', async () => {
    const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1]);
    await client.config('SET', 'maxmemory', String(Math.round(used * 1.06)));
    const { problems } = await doctor(...USUAL);
    expect(problems[0]).toMatch(
      /^memory: 9\d % of maxmemory is in use; a full server refuses every new lock/,
    );
  });

  it('finds that nothing is kept, or not at once, unless there is a guard', async () => {
    await client.config('SET', 'appendfsync', 'everysec');
    expect((await doctor()).notes).toEqual([expect.stringMatching(/^persistence: appendfsync is everysec/)]);
    await client.config('SET', 'appendonly', 'no');
    const found = await doctor();
    expect([found.code, found.problems]).toEqual([
      1,
      [expect.stringMatching(/^persistence: it writes no append-only file/)],
    ]);
    const guarded = new Bedrock({
      backend: redis({ url: server.url, restartGuard: true, coldStart: 'trust', maxLeaseMs: 20_000 }),
    });
    try {
      await guarded.ready();
      const agreed = await doctor('--restart-guard', '--max-lease', '20s');
      expect([agreed.code, agreed.problems]).toEqual([0, []]);
      expect(agreed.passed('lease')).toEqual(['maxLeaseMs is 20000 here and in the running processes']);
      expect((await doctor('--restart-guard', '--max-lease', '10s')).problems).toEqual([
        'lease: maxLeaseMs is 10000 here, and 20000 in the running processes: it must be the same in all',
      ]);
      expect((await doctor()).problems).toEqual([
        expect.stringMatching(/^lease: running processes use restartGuard/),
      ]);
    } finally {
      await guarded.close();
    }
  });

  it('takes no lock where that would begin a guard', async () => {
    const found = await doctor('--restart-guard');
    expect([found.code, found.problems]).toEqual([0, []]);
    expect(found.notes).toEqual([
      expect.stringMatching(/^lease: no process with a guard was here within a minute/),
      'locks: none was taken, because of the lease',
    ]);
    expect(await client.exists('bedrock_guard', 'bedrock_guard_lease')).toBe(0);
  });

  it('finds replicas that no grant waits for, and that a server is one', async () => {
    const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(server.port)] });
    try {
      await eventually('it follows', async () => /state=online/.test(await client.info('replication')));
      expect((await doctor()).problems).toEqual([
        expect.stringMatching(
          /^replicas: it has a replica, and goes on granting locks when it is cut off .*set replicaAcks or restartGuard/,
        ),
      ]);
      await client.config('SET', 'min-replicas-to-write', '1');
      expect((await doctor()).passed('replicas')).toEqual([
        'a replica; it grants no lock unless enough of them keep up (min-replicas-to-write)',
      ]);
      const { problems } = await Findings.of(['--url', replica.url, ...USUAL]);
      expect(problems).toContainEqual(expect.stringMatching(/^role: it is a replica/));
      expect(problems).toContainEqual(expect.stringMatching(/^locks: no lock can be taken: /));
    } finally {
      await replica.stop();
    }
  });

  it('finds a script cache that is flushed often', async () => {
    const own = await startRedis({ args: WELL });
    const observer = new Redis(own.url);
    try {
      for (let i = 0; i < 3; i += 1) await observer.script('FLUSH');
      expect((await Findings.of(['--url', own.url])).problems).toEqual([
        expect.stringMatching(/^scripts: the script cache has been flushed 3 times since the server started/),
      ]);
    } finally {
      observer.disconnect();
      await own.stop();
    }
  });

  it('finds a server that is far away, for this time-out', async () => {
    const proxy = await startProxy(server.port);
    proxy.delay(150);
    try {
      const { problems } = await Findings.of(['--url', `redis://127.0.0.1:${proxy.port}`, ...USUAL]);
      expect(problems).toEqual([expect.stringMatching(/^latency: .* and operationTimeoutMs is 1000: /)]);
    } finally {
      await proxy.stop();
    }
  });

  it('finds a clock that is wrong', async () => {
    const shift = 'data:text/javascript,const real = Date.now; Date.now = () => real() - 60_000;';
    const { problems } = await Findings.of(['--url', server.url], {
      environment: { NODE_OPTIONS: `--import=${encodeURI(shift).replaceAll('%2C', ',')}` },
    });
    expect(problems).toEqual(['clock: it is 60 s ahead of that of this machine: let NTP keep both']);
  });

  it('ends with 69 where no server answers, without the password', async () => {
    const { code, stdout, stderr } = await bedrock(['doctor', '--url', 'redis://ann:pss-wrd@127.0.0.1:1']);
    expect(code).toBe(69);
    expect(stdout).toMatch(/^127.0.0.1:1\n {2}problem +reachable +connect ECONNREFUSED/);
    expect(`${stdout}${stderr}`).not.toContain('pss-wrd');
  });
});

describe('bedrock doctor on a server that is something else, or stops answering', () => {
  /** Looks through a proxy that answers so many requests. */
  async function afterAnswers(most: number): Promise<Findings> {
    const proxy = await startProxy(server.port);
    let asked = 0;
    proxy.onRequest(() => {
      asked += 1;
      if (asked > most) proxy.dropReplies();
    });
    try {
      return await Findings.of(['--url', `redis://127.0.0.1:${proxy.port}`, '--operation-timeout', '500ms']);
    } finally {
      await proxy.stop();
    }
  }

  it.each([9, 14])('reports what it has found when there are only %d answers', async (most) => {
    const { code, lines } = await afterAnswers(most);
    expect(code).toBe(1);
    expect(lines.filter(({ state }) => state === 'problem').map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/stopped answering|got no answer|no lock can be taken|cannot be taken/),
    );
  });

  it('names the server of a cluster that was given as one', async () => {
    const lone = await startRedis({ args: ['--cluster-enabled', 'yes'] });
    try {
      const { problems } = await Findings.of(['--url', lone.url, ...USUAL]);
      expect(problems).toContainEqual('role: it is a server of a cluster: name two of them in the URL');
    } finally {
      await lone.stop();
    }
  });
});

describe('bedrock doctor on a Sentinel', () => {
  it('asks for the address of the primary', async () => {
    const group = await startSentinels();
    try {
      const [sentinel] = group.sentinels;
      const url = `redis://127.0.0.1:${sentinel!.port}`;
      const { code, problems } = await Findings.of(['--url', url, ...USUAL]);
      expect([code, problems[0]]).toEqual([1, 'role: it is a Sentinel: give the address of the primary']);
    } finally {
      await group.stop();
    }
  }, 60_000);
});

describe('the rights of a user', () => {
  const recipes = Array.from(
    readFileSync(join(ROOT, 'docs/backends/redis.md'), 'utf8').matchAll(/```acl\n([^`]+)```/g),
    ([, recipe]) => recipe!.trim().split(/\s+/),
  );
  const url = (): string => `redis://least:secret@127.0.0.1:${server.port}`;

  async function allow(rules: readonly string[]): Promise<void> {
    await client.call('acl', 'setuser', 'least', 'reset', 'on', '>secret', ...rules);
  }
  afterAll(() => client.call('acl', 'deluser', 'least'));

  it('are all there by the recipes of the page', async () => {
    await allow(recipes.flat());
    const { problems, notes } = await Findings.of(['--url', url(), 'shop:']);
    expect([problems, notes]).toEqual([
      [],
      // CONFIG is not among them.
      [expect.stringMatching(/^persistence: appendfsync is not known/)],
    ]);
  });

  it('are enough for mutexes by the first recipe', async () => {
    await allow(recipes[0]!);
    const { code, problems, notes } = await Findings.of(['--url', url(), 'shop:']);
    expect([code, problems]).toEqual([0, []]);
    expect(notes).toContainEqual(expect.stringMatching(/^rights: missing for fair mutexes, .*~\{shop:\*/));
    expect(notes).toContainEqual(expect.stringMatching(/^locks: cannot be taken: fair mutex/));
  }, 60_000);

  it('are missing one by one', async () => {
    const { checkRights } = await import('../../../../libs/cli/src/doctor/redis/check-rights.js');
    const { RedisServer } = await import('../../../../libs/cli/src/doctor/redis/redis-server.js');
    const missed: Record<string, string> = {};
    // Every user may call HELLO. EVAL is the right to ask; without it there is one answer to all.
    const rules = recipes.flat().filter((rule) => rule !== '+hello' && rule !== '+eval');
    for (const rule of rules) {
      await allow(recipes.flat().filter((other) => other !== rule));
      const least = await RedisServer.connect(url(), 5_000);
      const findings = await checkRights(least, 'single', 'shop:');
      least.disconnect();
      missed[rule] = findings.map(({ text }) => text.replace(/^.*: /, '')).join(' and ');
    }
    expect(missed).toEqual(Object.fromEntries(rules.map((rule) => [rule, rule])));
    await allow(recipes.flat().filter((rule) => rule !== '+eval'));
    const { problems } = await Findings.of(['--url', url(), 'shop:', ...USUAL]);
    expect(problems[0]).toBe('rights: this user may not even call EVAL: allow it +eval');
  });

  it('are those of the prefix that is given', async () => {
    await allow(recipes.flat());
    const { problems } = await Findings.of(['--url', url(), 'till:', ...USUAL]);
    expect(problems).toContainEqual('rights: missing for locks: ~till:*');
    expect(problems).toContainEqual(expect.stringMatching(/^locks: cannot be taken: mutex, /));
  });
});
