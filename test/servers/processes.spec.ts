import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { childrenOf, commandsWith } from './src/processes.js';

describe('processes of this machine', () => {
  const mark = randomUUID();
  let child: ChildProcess;

  beforeEach(async () => {
    // The shell stays, and so does what it has started, until they are killed.
    child = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; wait'], {
      env: { PATH: process.env['PATH'], A_TEST_MARK: mark },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    [sleeper] = ((await once(child.stdout!, 'data')) as [Buffer]).map(Number);
  });
  let sleeper: number | undefined;
  afterEach(async () => {
    const gone = once(child, 'close');
    process.kill(-child.pid!, 'SIGKILL');
    await gone;
  });

  it('are found by their parent', () => {
    expect(childrenOf(child.pid!)).toEqual([sleeper]);
    expect(childrenOf(process.pid)).toContain(child.pid);
    expect(childrenOf(sleeper!)).toEqual([]);
  });

  it('are found by their environment, also when their parent is dead', async () => {
    expect(commandsWith('A_TEST_MARK', mark)).toHaveLength(2);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    expect(commandsWith('A_TEST_MARK', mark)).toEqual(['sleep 60']);
    expect(commandsWith('A_TEST_MARK', randomUUID())).toEqual([]);
  });
});
