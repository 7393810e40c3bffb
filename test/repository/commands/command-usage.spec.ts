import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs what `npm run <command>` runs after the build. */
function run(command: string, ...args: string[]): Promise<Outcome> {
  const [program, ...own] = scripts[command]!.split(' && ').at(-1)!.split(' ');
  expect(program).toBe('node');
  return new Promise((resolve) => {
    execFile(process.execPath, [...own, ...args], { cwd: root, timeout: 50_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** The bench has specs of its own (test/repository/bench), since it installs what it compares with before it can be asked. */
const COMMANDS = ['simulate', 'model', 'mutants', 'faults', 'soak', 'api', 'test:repeat', 'lint:commits'];

describe.each(COMMANDS)('npm run %s', (command) => {
  it('answers --help with its usage', async () => {
    const { code, stdout } = await run(command, '--help');
    expect({ code, usage: stdout.split('\n')[0] }).toEqual({
      code: 0,
      usage: `npm run ${command} -- [options]`,
    });
  }, 60_000);

  it('answers an option that it does not know with one line and its usage', async () => {
    const { code, stdout, stderr } = await run(command, '--no-such-option');
    const [problem, empty, usage] = stderr.split('\n');
    expect({ code, stdout, empty, usage }).toEqual({
      ...{ code: 2, stdout: '', empty: '', usage: `npm run ${command} -- [options]` },
    });
    expect(problem).toContain("'--no-such-option'");
    expect(stderr).not.toMatch(/^ {4}at /m);
  }, 60_000);
});

describe('npm test', () => {
  it('fails when --engines leaves nothing of what was asked for', async () => {
    const { code, stdout } = await run('test', '--engines', 'redis', 'test/contract/mysql');
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: 'no spec file to run\nexcluded by --engines redis: 2 files that need mysql\n',
    });
  });
});
