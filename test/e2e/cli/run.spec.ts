import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { bedrock, startBedrock } from './bedrock-command.js';

let server: RunningServer;
/** An application that uses the same locks. */
let application: Bedrock;
let resource: string;

beforeAll(async () => {
  server = await startRedis();
  application = new Bedrock({ backend: redis({ url: server.url, label: 'the application' }) });
}, 60_000);
afterAll(async () => {
  await application?.close();
  await server?.stop();
});
beforeEach(() => {
  resource = `cli:${randomUUID()}`;
});

/** Arguments of `run` on the server of these tests. */
function run(options: readonly string[], ...command: string[]): string[] {
  return ['run', '--url', server.url, ...options, resource, '--', ...command];
}

function sh(script: string): [string, string, string] {
  return ['sh', '-c', script];
}

async function isFree(): Promise<boolean> {
  const lease = await application.mutex(resource).tryAcquire();
  await lease?.release();
  return lease !== null;
}

describe('a command under a lock', () => {
  it('has the input, the output and the arguments of the caller, and its exit code passes through', async () => {
    const script = 'cat; echo "$0 $1"; echo problem >&2; exit 7';
    const outcome = await bedrock(run([], 'sh', '-c', script, 'one', '--two'), { input: 'given\n' });
    expect(outcome).toEqual({ code: 7, signal: null, stdout: 'given\none --two\n', stderr: 'problem\n' });
    expect(await isFree()).toBe(true);
  });

  it('knows its lock: the resource, a token that grows, and when the lease ends', async () => {
    const script = 'echo "$BEDROCK_RESOURCE,$BEDROCK_TOKEN,$BEDROCK_LEASE_UNTIL"';
    const startedAt = Date.now();
    const outcomes = [await bedrock(run(['--lease', '20s'], ...sh(script)))];
    outcomes.push(await bedrock(run(['--lease', '20s'], ...sh(script))));
    const [first, second] = outcomes.map(({ stdout }) => stdout.trim().split(','));
    expect([first![0], second![0]]).toEqual([resource, resource]);
    expect(Number(second![1])).toBeGreaterThan(Number(first![1]));
    expect(Number(first![2])).toBeGreaterThan(startedAt + 10_000);
    expect(Number(first![2])).toBeLessThan(Date.now() + 20_000);
  });

  it('keeps the lock longer than one lease, since it is renewed', async () => {
    const running = startBedrock(
      run(['--lease', '1s'], ...sh('echo started; read -r _; sleep 2.5; echo done')),
    );
    await eventually('the command runs', () => running.said.stdout.includes('started'));
    const [holder] = await application.mutex(resource).inspect();
    expect(holder!.process).toMatchObject({ label: 'bedrock run', pid: running.process.pid });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await isFree()).toBe(false);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'started\ndone\n' });
    expect(await isFree()).toBe(true);
  });

  it('may write as much as it likes', async () => {
    const script = `const block = 'x'.repeat(65536); for (let i = 0; i < 800; i++) require('fs').writeSync(1, block)`;
    const { code, stdout } = await bedrock(run([], 'node', '-e', script));
    expect({ code, length: stdout.length }).toEqual({ code: 0, length: 800 * 65_536 });
  }, 60_000);

  it('holds the lock until the processes that it has left behind have ended', async () => {
    const running = startBedrock(run([], ...sh('(echo started; sleep 2; echo late) & exit 3')));
    await eventually('the background process runs', () => running.said.stdout.includes('started'));
    await eventually('it is told', () => running.said.stderr.includes('processes that it started have not'));
    expect(await isFree()).toBe(false);
    expect(await running.ended).toMatchObject({ code: 3, stdout: 'started\nlate\n' });
    expect(await isFree()).toBe(true);
  });

  it('keeps others out for the time of --hold-at-least', async () => {
    const { code } = await bedrock(run(['--hold-at-least', '1m'], 'true'));
    expect(code).toBe(0);
    expect(await isFree()).toBe(false);
  });

  it('says with --verbose when the lock was granted, and with --json as an object', async () => {
    const [text, json] = await Promise.all([
      bedrock(run(['--verbose'], 'true')),
      bedrock(run(['--verbose', '--json', '--wait', '10s'], 'true')),
    ]);
    expect(text.stderr).toMatch(/^bedrock: cli:\S+: granted after .+, token \d+\n$/);
    expect(JSON.parse(json.stderr)).toEqual({
      event: 'granted',
      resource,
      waitedMs: expect.any(Number),
      token: expect.any(Number),
    });
  });
});

describe('a lock that is held', () => {
  it('ends with 75 and tells of the holder, without having started the command', async () => {
    const lease = await application.mutex(resource).acquire();
    const [once, waited, other, json] = await Promise.all([
      bedrock(run(['--wait', '0s'], 'echo', 'started')),
      bedrock(run(['--wait', '300ms'], 'echo', 'started')),
      bedrock(run(['--wait', '0s', '--conflict-exit-code', '1'], 'echo', 'started')),
      bedrock(run(['--wait', '0s', '--json'], 'echo', 'started')),
    ]);
    const holder = `the application ${process.pid}@`;
    expect([once, waited, other].map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 75, stdout: '' },
      { code: 75, stdout: '' },
      { code: 1, stdout: '' },
    ]);
    expect(once.stderr).toContain(`${resource}: was not granted: it is held by ${holder}`);
    expect(waited.stderr).toMatch(/was not granted within \d+ ms: it is held by the application/);
    expect(JSON.parse(json.stderr)).toMatchObject({
      event: 'not granted',
      resource,
      holder: { process: { label: 'the application', pid: process.pid } },
    });
    expect(await lease.release()).toBe('released');
  });

  it('is waited for, as long as nothing else is said', async () => {
    const lease = await application.mutex(resource).acquire();
    const running = startBedrock(run([], 'echo', 'started'));
    await eventually('it waits', isWaitedFor);
    expect(running.said.stdout).toBe('');
    await lease.release();
    expect(await running.ended).toEqual({ code: 0, signal: null, stdout: 'started\n', stderr: '' });
  });

  it('is a reason to do nothing with --skip-if-held', async () => {
    const lease = await application.mutex(resource).acquire();
    const [silent, verbose] = await Promise.all([
      bedrock(run(['--skip-if-held'], 'echo', 'started')),
      bedrock(run(['--skip-if-held', '--verbose'], 'echo', 'started')),
    ]);
    expect(silent).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(verbose.stderr).toMatch(/is held by the application .+; the command was skipped\n$/);
    await lease.release();
    expect(await bedrock(run(['--skip-if-held'], 'echo', 'started'))).toMatchObject({
      code: 0,
      stdout: 'started\n',
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is waited for no more after %s, which leaves nothing in the queue', async (signal, code) => {
    const lease = await application.mutex(resource).acquire();
    const running = startBedrock(run([], 'echo', 'started'));
    await eventually('it waits', isWaitedFor);
    running.process.kill(signal);
    expect(await running.ended).toMatchObject({ code, stdout: '' });
    expect(await isWaitedFor()).toBe(false);
    await lease.release();
  });

  /** Whether a process is in the queue of the lock. */
  async function isWaitedFor(): Promise<boolean> {
    const client = new Redis(server.url);
    try {
      return (await client.exists(`bedrock_order:{${resource}}`)) === 1;
    } finally {
      client.disconnect();
    }
  }
});

describe('a command that is not started', () => {
  it('leaves a free lock: 127 if it is not found, 126 if it cannot be executed', async () => {
    const missing = await bedrock(run([], 'no-such-command-here'));
    expect(missing).toMatchObject({ code: 127, stdout: '' });
    expect(missing.stderr).toContain('"no-such-command-here" could not be started');
    expect(await isFree()).toBe(true);
    expect((await bedrock(run([], '/etc'))).code).toBe(126);
    expect(await isFree()).toBe(true);
  });

  it('has 69 if the backend does not answer, and the password is not shown', async () => {
    const args = ['run', '--url', 'redis://user:secret-word@127.0.0.1:9', '--operation-timeout', '100ms'];
    const { code, stdout, stderr } = await bedrock([...args, resource, '--', 'echo', 'started']);
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
    expect(stderr).toMatch(/redis is unavailable: .+; the command was not started\n$/);
    expect(stderr).not.toContain('secret-word');
  }, 30_000);
});

it('takes the URL from BEDROCK_URL, or from the variable that --url-env names', async () => {
  const rest = [resource, '--', 'echo', 'started'];
  const one = await bedrock(['run', ...rest], { environment: { BEDROCK_URL: server.url } });
  const other = await bedrock(['run', '--url-env', 'LOCKS', ...rest], { environment: { LOCKS: server.url } });
  expect([one.stdout, other.stdout]).toEqual(['started\n', 'started\n']);
});
