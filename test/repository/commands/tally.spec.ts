import { Tally } from '../../../tools/test/tally.mjs';

const PASSED = {
  code: 0,
  report: { numPassedTests: 2, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] },
};
const SKIPPED = { code: 0, report: { ...PASSED.report, numPendingTests: 1 } };

function tallyOf(...runs: (readonly [command: string, seconds: number])[]): Tally {
  const tally = new Tally();
  for (const [command, seconds] of runs) tally.add(command, PASSED, { seconds, isFiltered: false });
  return tally;
}

describe('the last lines of a command', () => {
  it('name a command that took longer than its bound, and fail nothing for it', () => {
    const tally = tallyOf(['test:nest', 20], ['test:e2e', 301]);
    expect(tally.late()).toEqual(['OVER ITS BOUND: npm run test:e2e took 301 s, bound 300 s on two cores']);
    expect(tally.isGood).toBe(true);
    expect(tally.report.commands).toEqual([
      { command: 'test:nest', seconds: 20, boundS: 300, isLate: false },
      { command: 'test:e2e', seconds: 301, boundS: 300, isLate: true },
    ]);
  });

  it('name the whole when all commands together took too long, though each kept its bound', () => {
    const names = ['test', 'test:nest', 'test:redis', 'test:engines', 'test:interop', 'test:e2e'];
    expect(tallyOf(...names.map((name) => [name, 299] as const)).late()).toEqual([
      'OVER ITS BOUND: npm run test:all took 1794 s, bound 1500 s on two cores',
    ]);
  });

  it('say nothing of time where every bound was kept', () => {
    expect(tallyOf(['test', 131], ['test:faults', 400]).late()).toEqual([]);
  });

  it('count a skipped test as a failure', () => {
    const tally = new Tally();
    tally.add('test', SKIPPED, { seconds: 1, isFiltered: false });
    expect(tally.isGood).toBe(false);
    expect(tally.text()).toContain('1 skipped, which is a failure');
  });
});
