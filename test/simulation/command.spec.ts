import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** What a command says, run as a person runs it: compiled apart from the tests, by a list of folders of its own. */
function said(...args: string[]): string {
  const root = join(import.meta.dirname, '../..');
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : `exit code ${status}: ${stdout}${stderr}`;
}

it('runs worlds by its command', () => {
  expect(said('test/simulation/run.mjs', '--seeds', '4')).toMatch(/^4 seeds, \d+ leases, 0 seeds failed/m);
});

it('runs mutants by their command', () => {
  const only = 'renewal-of-nothing-is-renewed';
  expect(said('test/mutants/run.mjs', '--only', only, '--limit', '200')).toContain('1 mutants, 0 not caught');
});
