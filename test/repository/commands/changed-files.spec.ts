import { filesOf, specFiles } from '../../commands.mjs';
import { specsTouchedBy } from '../../../tools/test/changed-files.mjs';
import { specsNaming } from '../../../tools/test/named-files.mjs';

describe('npm run test:changed', () => {
  const all = specFiles();
  const within = (folder: string) => all.filter((file) => file.startsWith(folder));

  it.each([
    'jest.config.js',
    'test/support/preflight.mjs',
    'test/support/slow-first.mjs',
    'test/support/source-resolver.cjs',
    'test/tsconfig.json',
  ])('runs everything for what Jest itself loads: %s', (file) => {
    expect(specsTouchedBy([file])).toEqual(all);
  });

  it.each([
    ['test/unit/nestjs/leadership/jobs-app.mjs', ['test/unit/nestjs/leadership/jobs.spec.ts']],
    ['test/faults/chains-main.mjs', ['test/faults/chains.spec.ts']],
    [
      'test/unit/backends/sql/mysql/backend-of.mjs',
      ['test/unit/backends/sql/mysql/records.spec.ts', 'test/contract/mysql/mysql.spec.ts'],
    ],
    ['test/unit/nestjs/handlers/shop.proto', ['test/unit/nestjs/handlers/rpc.spec.ts']],
  ])('runs the specs that start %s', (file, specs) => {
    const touched = specsTouchedBy([file]);
    expect(touched).toEqual(expect.arrayContaining(specs));
    expect(touched.length).toBeLessThan(all.length / 2);
  });

  it('runs the specs of the folder for a file that no spec names', () => {
    expect(specsNaming('test/model/no-such.json')).toEqual(new Set());
    expect(specsTouchedBy(['test/model/no-such.json'])).toEqual(within('test/model/'));
    expect(specsTouchedBy(['test/unit/engine/no-such/folder.txt'])).toEqual(within('test/unit/engine/'));
  });

  it.each([
    ['docs/backends/redis.md', ['test/unit/backends/redis/faults.spec.ts', 'test/faults/counting.spec.ts']],
    ['docs/cli.md', ['test/e2e/cli/pages.spec.ts']],
    ['docs/operations/doctor.md', ['test/unit/cli/doctor.spec.ts']],
    ['test/README.md', ['test/repository/commands/commands.spec.ts']],
    ['docs/backends/etcd.md', ['test/unit/core/longest-lease.spec.ts']],
    ['docs/performance/primitives.md', ['test/repository/bench/report.spec.ts']],
  ])('runs the specs that read %s', (page, specs) => {
    const touched = specsTouchedBy([page]);
    expect(touched).toEqual(expect.arrayContaining([...specs, ...within('test/repository/docs/')]));
    expect(touched.length).toBeLessThan(all.length / 2);
  });

  it('runs the specs whose processes run the build for a script', () => {
    const [script] = filesOf('libs/lock/src/backends/redis').filter((file) => file.endsWith('.lua'));
    const touched = specsTouchedBy([script!]);
    expect(touched).toEqual(
      expect.arrayContaining(['test/e2e/', 'test/browser/', 'test/simulation/'].flatMap(within)),
    );
  });

  it('runs the whole contract for the contender', () => {
    const contender = 'libs/testkit/src/contender';
    const touched = specsTouchedBy([`${contender}/main.ts`, `${contender}/machine-sleep.ts`]);
    expect(touched).toEqual(expect.arrayContaining([...within('test/contract/'), ...within('test/faults/')]));
  });
});
