import { describe, expect, it } from '@jest/globals';
import { eventually } from 'bedrock-testkit';
import { execFile } from 'node:child_process';
import { bedrock, startBedrock } from '../bedrock-command.js';
import { LocksFixture } from '../locks-fixture.js';

const locks = new LocksFixture();

/** A process of a busy machine begins within this time. */
const STARTS = { withinMs: 20_000 };

function sh(script: string): [string, string, string] {
  return ['sh', '-c', script];
}

/** False also for a process that has ended and that no parent has asked for its exit code. */
function isAlive(pid: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    execFile('ps', ['-o', 'state=', '-p', String(pid)], (error, stdout, stderr) => {
      // Without such a process, ps ends with 1 and says nothing.
      if (error !== null && (error.code !== 1 || stderr !== ''))
        reject(new Error(`ps failed: ${stderr}`, { cause: error }));
      else resolve(/^[^ZX]/.test(stdout.trim()));
    });
  });
}

describe('signals', () => {
  it('go to the command, which decides what to do', async () => {
    const running = startBedrock(
      locks.run([], ...sh('trap "echo asked; exit 9" TERM; echo started; while :; do sleep 0.05; done')),
    );
    await eventually('the command runs', () => running.said.stdout.includes('started'), STARTS);
    running.process.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: 9, stdout: 'started\nasked\n' });
    expect(await locks.isFree()).toBe(true);
  });

  it('that end the command are told as a shell tells them', async () => {
    const running = startBedrock(locks.run([], ...sh('echo started; exec sleep 60')));
    await eventually('the command runs', () => running.said.stdout.includes('started'), STARTS);
    running.process.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130, signal: null });
    const killed = await bedrock(locks.run([], ...sh('kill -KILL $$')));
    expect(killed.code).toBe(137);
  });

  it('reach processes that have a group of their own, and the lock is held until they end', async () => {
    const running = startBedrock(locks.run([], ...sh(`timeout 60 sh -c 'echo $$; exec sleep 60'; exit 9`)));
    await eventually('the command runs', () => /^\d+\n/.test(running.said.stdout), STARTS);
    const pid = Number(running.said.stdout);
    running.process.kill('SIGTERM');
    expect((await running.ended).code).toBe(143);
    expect(await isAlive(pid)).toBe(false);
  });

  it.each([
    ['', 'trap "" TERM; echo $$; while :; do sleep 0.05; done'],
    [
      ', also where it has a group of its own',
      `timeout 60 sh -c 'trap "" TERM; echo $$; while :; do sleep 0.05; done'`,
    ],
    // Needs /proc: macOS shows no environment to the guard.
    [
      ', also when that is the first act of the command',
      'kill -9 $PPID; trap "" TERM; echo $$; while :; do sleep 0.05; done',
    ],
  ])(
    'that kill bedrock itself end the command too, since nothing renews its lock%s',
    async (_where, script) => {
      const running = startBedrock(locks.run(['--grace', '1s'], ...sh(script)));
      // A command that kills bedrock at once may be ended before it has written a word.
      const runs = () => /^\d+\n/.test(running.said.stdout) || running.process.signalCode === 'SIGKILL';
      await eventually('the command runs', runs, STARTS);
      running.process.kill('SIGKILL');
      // The output of bedrock stays open as long as a process of the command lives.
      const output = running.process.stdout!;
      await eventually('the command has ended', () => output.readableEnded, { withinMs: 10_000 });
      expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
    },
  );
});

describe('a lock that is lost half-way', () => {
  it('ends the command, and kills what does not end in time; the exit code is 76', async () => {
    const running = startBedrock(
      locks.run(
        ['--lease', '1s', '--grace', '500ms'],
        ...sh('trap "echo asked" TERM; echo $$; while :; do sleep 0.05; done'),
      ),
    );
    await eventually('the command runs', () => /^\d+\n/.test(running.said.stdout), STARTS);
    const pid = Number(running.said.stdout);
    expect(await locks.application.mutex(locks.resource).forceRelease()).toBe(true);
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(76);
    expect(stdout).toContain('asked');
    expect(stderr).toMatch(
      /was lost after \d+ ms: .+; asking the command to end, and killing it in 500 ms\n/,
    );
    expect(await isAlive(pid)).toBe(false);
  });

  it('ends the command before the end of its lease when it is revoked', async () => {
    const running = startBedrock(locks.run(['--lease', '3s'], ...sh('echo started; exec sleep 60')));
    await eventually('the command runs', () => running.said.stdout.includes('started'), STARTS);
    await locks.application.mutex(locks.resource).revoke();
    const { code, stderr } = await running.ended;
    expect(code).toBe(76);
    expect(stderr).toContain('was revoked; asking the command to end');
    expect(stderr).not.toContain('was lost');
  });

  it('has 76 also for a command that ends well when it is asked to', async () => {
    const running = startBedrock(
      locks.run(
        ['--lease', '1s', '--json'],
        ...sh('trap "exit 0" TERM; echo started; while :; do sleep 0.05; done'),
      ),
    );
    await eventually('the command runs', () => running.said.stdout.includes('started'), STARTS);
    await locks.application.mutex(locks.resource).forceRelease();
    const { code, stderr } = await running.ended;
    expect(code).toBe(76);
    // The shell itself may tell that what it waited for was ended.
    expect(JSON.parse(/^\{.*$/m.exec(stderr)![0])).toMatchObject({
      event: 'lost',
      resource: locks.resource,
      code: 'LOCK_LOST',
    });
  });
});
