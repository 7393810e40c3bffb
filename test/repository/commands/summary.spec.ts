import { join } from 'node:path';
import { summaryOf } from '../../../tools/test/summary.mjs';

const root = join(import.meta.dirname, '../../..');
const COMMANDS = [
  { command: 'test', seconds: 131.2 },
  { command: 'test:faults', seconds: 400 },
];
const PASSED = { status: 'passed', fullName: 'a mutex excludes', failureMessages: [] };

function failing(fullName: string, message: string): object {
  return { status: 'failed', fullName, failureMessages: [message] };
}

function fileOf(assertionResults: readonly object[], message = ''): object {
  return { name: join(root, 'test/faults/x.spec.ts'), status: 'failed', message, assertionResults };
}

describe('the summary of a report', () => {
  it('has a line for each command that has ended', () => {
    expect(summaryOf({ commands: COMMANDS, testResults: [] })).toBe(
      '   131 s  npm run test\n   400 s  npm run test:faults',
    );
  });

  it('shows each failed test with the beginning of its message', () => {
    const message = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
    const testResults = [
      fileOf([PASSED, failing('a mutex holds', 'I1: two held'), failing('waits', message)]),
    ];
    const lines = summaryOf({ commands: [], testResults }).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'FAIL test/faults/x.spec.ts › a mutex holds',
      '  I1: two held',
      'FAIL test/faults/x.spec.ts › waits',
      '  line 0',
    ]);
    expect(lines.at(-1)).toBe('  line 29');
  });

  it('shows a file that could not run', () => {
    const testResults = [fileOf([], 'Cannot find module')];
    expect(summaryOf({ commands: [], testResults })).toBe('FAIL test/faults/x.spec.ts\n  Cannot find module');
  });

  it('counts the failures that it does not show', () => {
    const testResults = [fileOf(Array.from({ length: 23 }, (_, i) => failing(`t${i}`, 'no')))];
    expect(summaryOf({ commands: [], testResults }).split('\n').at(-1)).toBe('3 more failed');
  });
});
