import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Bedrock } from 'bedrock-lock';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { eventually } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { bedrock, startBedrock, type RunningCommand } from './bedrock-command.js';

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

/** False also for a process that has ended and that no parent has asked for its exit code. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^\d+ \(.*\) [ZX]/s.test(stat);
  } catch {
    return false;
  }
}

/** The groups of processes whose first ancestor under the lock is a child of this run. */
function livingGroupsOf({ process: { pid } }: RunningCommand): number[] {
  const stats = readdirSync('/proc').flatMap((entry) => {
    try {
      return /^\d+$/.test(entry) ? [readFileSync(`/proc/${entry}/stat`, 'latin1')] : [];
    } catch {
      return [];
    }
  });
  const rows = stats.map((stat) => [parseInt(stat, 10), ...stat.slice(stat.lastIndexOf(')') + 2).split(' ')]);
  const sessions = new Set(rows.filter(([, , parent]) => Number(parent) === pid).map((row) => row[4]));
  return [
    ...new Set(rows.filter((row) => sessions.has(row[4]) && row[1] !== 'Z').map((row) => Number(row[3]))),
  ];
}

describe('signals', () => {
  it('go to the command, which decides what to do', async () => {
    const running = startBedrock(
      run([], ...sh('trap "echo asked; exit 9" TERM; echo started; while :; do sleep 0.05; done')),
    );
    await eventually('the command runs', () => running.said.stdout.includes('started'));
    running.process.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 9, stdout: 'started\nasked\n' });
    expect(await isFree()).toBe(true);
  });

  it('that end the command are told as a shell tells them', async () => {
    const running = startBedrock(run([], ...sh('echo started; exec sleep 60')));
    await eventually('the command runs', () => running.said.stdout.includes('started'));
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, signal: null });
    const killed = await bedrock(run([], ...sh('kill -KILL $$')));
    expect(killed.code).toBe(137);
  });

  it('reach processes that have a group of their own, and the lock is held until they end', async () => {
    const running = startBedrock(run([], ...sh('timeout 60 sleep 60; echo "$?"')));
    await eventually('the lock is held', async () => !(await isFree()));
    await eventually('the command runs', () => livingGroupsOf(running).length > 1);
    running.process.kill('SIGTERM');
    expect((await running.ended).code).toBeGreaterThan(0);
    expect(livingGroupsOf(running)).toEqual([]);
  });

  it('that kill bedrock itself end the command too, since nothing renews its lock any more', async () => {
    const running = startBedrock(
      run(['--grace', '1s'], ...sh('trap "" TERM; echo $$; while :; do sleep 0.05; done')),
    );
    await eventually('the command runs', () => /^\d+\n/.test(running.said.stdout));
    const pid = Number(running.said.stdout);
    running.process.kill('SIGKILL');
    await eventually('the command has ended', () => !isAlive(pid), { withinMs: 10_000 });
  });
});

describe('a lock that is lost half-way', () => {
  it('ends the command, and kills what does not end in time; the exit code is 76', async () => {
    const running = startBedrock(
      run(
        ['--lease', '1s', '--grace', '500ms'],
        ...sh('trap "echo asked" TERM; echo $$; while :; do sleep 0.05; done'),
      ),
    );
    await eventually('the command runs', () => /^\d+\n/.test(running.said.stdout));
    const pid = Number(running.said.stdout);
    expect(await application.mutex(resource).forceRelease()).toBe(true);
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(76);
    expect(stdout).toContain('asked');
    expect(stderr).toMatch(
      /was lost after \d+ ms: .+; asking the command to end, and killing it in 500 ms\n/,
    );
    expect(isAlive(pid)).toBe(false);
  });

  it('ends the command before the end of its lease when it is revoked', async () => {
    const running = startBedrock(run(['--lease', '3s'], ...sh('echo started; exec sleep 60')));
    await eventually('the command runs', () => running.said.stdout.includes('started'));
    await application.mutex(resource).revoke();
    const { code, stderr } = await running.ended;
    expect(code).toBe(76);
    expect(stderr).toContain('was revoked; asking the command to end');
    expect(stderr).not.toContain('was lost');
  });

  it('has 76 also for a command that ends well when it is asked to', async () => {
    const running = startBedrock(
      run(
        ['--lease', '1s', '--json'],
        ...sh('trap "exit 0" TERM; echo started; while :; do sleep 0.05; done'),
      ),
    );
    await eventually('the command runs', () => running.said.stdout.includes('started'));
    await application.mutex(resource).forceRelease();
    const { code, stderr } = await running.ended;
    expect(code).toBe(76);
    // The shell itself may tell that what it waited for was ended.
    expect(JSON.parse(/^\{.*$/m.exec(stderr)![0])).toMatchObject({
      event: 'lost',
      resource,
      code: 'LOCK_LOST',
    });
  });
});
