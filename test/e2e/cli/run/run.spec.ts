import { describe, expect, it } from '@jest/globals';
import { eventually } from 'bedrock-testkit';
import { bedrock, startBedrock } from '../bedrock-command.js';
import { LocksFixture } from '../locks-fixture.js';

const locks = new LocksFixture();

function sh(script: string): [string, string, string] {
  return ['sh', '-c', script];
}

describe('a command under a lock', () => {
  it('has the input, the output and the arguments of the caller, and its exit code passes through', async () => {
    const script = 'cat; echo "$0 $1"; echo problem >&2; exit 7';
    const outcome = await bedrock(locks.run([], 'sh', '-c', script, 'one', '--two'), { input: 'given\n' });
    expect(outcome).toEqual({ code: 7, signal: null, stdout: 'given\none --two\n', stderr: 'problem\n' });
    expect(await locks.isFree()).toBe(true);
  });

  it('knows its lock: the resource, a token that grows, and when the lease ends', async () => {
    const script = 'echo "$BEDROCK_RESOURCE,$BEDROCK_TOKEN,$BEDROCK_LEASE_UNTIL"';
    const startedAt = Date.now();
    const outcomes = [await bedrock(locks.run(['--lease', '20s'], ...sh(script)))];
    outcomes.push(await bedrock(locks.run(['--lease', '20s'], ...sh(script))));
    const [first, second] = outcomes.map(({ stdout }) => stdout.trim().split(','));
    expect([first![0], second![0]]).toEqual([locks.resource, locks.resource]);
    expect(Number(second![1])).toBeGreaterThan(Number(first![1]));
    expect(Number(first![2])).toBeGreaterThan(startedAt + 10_000);
    expect(Number(first![2])).toBeLessThan(Date.now() + 20_000);
  });

  it('keeps the lock longer than one lease, since it is renewed', async () => {
    const running = startBedrock(
      locks.run(['--lease', '1s'], ...sh('echo started; sleep 2; echo still; sleep 0.5')),
    );
    await eventually('the command runs', () => running.said.stdout.includes('started'));
    const [holder] = await locks.application.mutex(locks.resource).inspect();
    expect(holder!.process).toMatchObject({ label: 'bedrock run', pid: running.process.pid });
    await eventually('two leases are over', () => running.said.stdout.includes('still'));
    expect(await locks.isFree()).toBe(false);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'started\nstill\n' });
    expect(await locks.isFree()).toBe(true);
  });

  it('may write as much as it likes', async () => {
    const script = `const block = 'x'.repeat(65536); for (let i = 0; i < 800; i++) require('fs').writeSync(1, block)`;
    const { code, stdout } = await bedrock(locks.run([], 'node', '-e', script));
    expect({ code, length: stdout.length }).toEqual({ code: 0, length: 800 * 65_536 });
  }, 60_000);

  it('holds the lock until the processes that it has left behind have ended', async () => {
    const running = startBedrock(locks.run([], ...sh('(echo started; sleep 2; echo late) & exit 3')));
    await eventually('the background process runs', () => running.said.stdout.includes('started'));
    await eventually('it is told', () => running.said.stderr.includes('processes that it started have not'));
    expect(await locks.isFree()).toBe(false);
    expect(await running.ended).toMatchObject({ code: 3, stdout: 'started\nlate\n' });
    expect(await locks.isFree()).toBe(true);
  });

  it('keeps others out for the time of --hold-at-least', async () => {
    const { code } = await bedrock(locks.run(['--hold-at-least', '1m'], 'true'));
    expect(code).toBe(0);
    expect(await locks.isFree()).toBe(false);
  });

  it('says with --verbose when the lock was granted, and with --json as an object', async () => {
    const [text, json] = await Promise.all([
      bedrock(locks.run(['--verbose'], 'true')),
      bedrock(locks.run(['--verbose', '--json', '--wait', '10s'], 'true')),
    ]);
    expect(text.stderr).toMatch(/^bedrock: cli:\S+: granted after .+, token \d+\n$/);
    expect(JSON.parse(json.stderr)).toEqual({
      event: 'granted',
      resource: locks.resource,
      waitedMs: expect.any(Number),
      token: expect.any(Number),
    });
  });
});

describe('a lock that is held', () => {
  it('ends with 75 and tells of the holder, without having started the command', async () => {
    const lease = await locks.application.mutex(locks.resource).acquire();
    const [once, waited, other, json] = await Promise.all([
      bedrock(locks.run(['--wait', '0s'], 'echo', 'started')),
      bedrock(locks.run(['--wait', '300ms'], 'echo', 'started')),
      bedrock(locks.run(['--wait', '0s', '--conflict-exit-code', '1'], 'echo', 'started')),
      bedrock(locks.run(['--wait', '0s', '--json'], 'echo', 'started')),
    ]);
    const holder = `the application ${process.pid}@`;
    expect([once, waited, other].map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 75, stdout: '' },
      { code: 75, stdout: '' },
      { code: 1, stdout: '' },
    ]);
    expect(once.stderr).toContain(`${locks.resource}: was not granted: it is held by ${holder}`);
    expect(waited.stderr).toMatch(/was not granted within \d+ ms: it is held by the application/);
    expect(JSON.parse(json.stderr)).toMatchObject({
      event: 'not granted',
      resource: locks.resource,
      holder: { process: { label: 'the application', pid: process.pid } },
    });
    expect(await lease.release()).toBe('released');
  });

  it('is waited for, as long as nothing else is said', async () => {
    const lease = await locks.application.mutex(locks.resource).acquire();
    const running = startBedrock(locks.run([], 'echo', 'started'));
    await eventually('it waits', () => locks.isWaitedFor());
    expect(running.said.stdout).toBe('');
    await lease.release();
    expect(await running.ended).toEqual({ code: 0, signal: null, stdout: 'started\n', stderr: '' });
  });

  it('is a reason to do nothing with --skip-if-held', async () => {
    const lease = await locks.application.mutex(locks.resource).acquire();
    const [silent, verbose] = await Promise.all([
      bedrock(locks.run(['--skip-if-held'], 'echo', 'started')),
      bedrock(locks.run(['--skip-if-held', '--verbose'], 'echo', 'started')),
    ]);
    expect(silent).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(verbose.stderr).toMatch(/is held by the application .+; the command was skipped\n$/);
    await lease.release();
    expect(await bedrock(locks.run(['--skip-if-held'], 'echo', 'started'))).toMatchObject({
      code: 0,
      stdout: 'started\n',
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is waited for no more after %s, which leaves nothing in the queue', async (signal, code) => {
    const lease = await locks.application.mutex(locks.resource).acquire();
    const running = startBedrock(locks.run([], 'echo', 'started'));
    await eventually('it waits', () => locks.isWaitedFor());
    running.process.kill(signal);
    expect(await running.ended).toMatchObject({ code, stdout: '' });
    expect(await locks.isWaitedFor()).toBe(false);
    await lease.release();
  });
});

describe('a command that is not started', () => {
  it('leaves a free lock: 127 if it is not found, 126 if it cannot be executed', async () => {
    const missing = await bedrock(locks.run([], 'no-such-command-here'));
    expect(missing).toMatchObject({ code: 127, stdout: '' });
    expect(missing.stderr).toContain('"no-such-command-here" could not be started');
    expect(await locks.isFree()).toBe(true);
    expect((await bedrock(locks.run([], '/etc'))).code).toBe(126);
    expect(await locks.isFree()).toBe(true);
  });

  it('has 69 if the backend does not answer, and the password is not shown', async () => {
    const args = ['run', '--url', 'redis://user:secret-word@127.0.0.1:9', '--operation-timeout', '100ms'];
    const { code, stdout, stderr } = await bedrock([...args, locks.resource, '--', 'echo', 'started']);
    expect({ code, stdout }).toEqual({ code: 69, stdout: '' });
    expect(stderr).toMatch(/redis is unavailable: .+; the command was not started\n$/);
    expect(stderr).not.toContain('secret-word');
  }, 30_000);
});

it('takes the URL from BEDROCK_URL, or from the variable that --url-env names', async () => {
  const rest = [locks.resource, '--', 'echo', 'started'];
  const one = await bedrock(['run', ...rest], { environment: { BEDROCK_URL: locks.server.url } });
  const other = await bedrock(['run', '--url-env', 'LOCKS', ...rest], {
    environment: { LOCKS: locks.server.url },
  });
  expect([one.stdout, other.stdout]).toEqual(['started\n', 'started\n']);
});
