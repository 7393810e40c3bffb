import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkTargets } from '../../../bench/src/cli/check-targets.js';
import { explain } from '../../../bench/src/cli/explain.js';
import { parseCommand } from '../../../bench/src/cli/parse-command.js';
import { runBench } from '../../../bench/src/cli/run-bench.js';
import { UsageError } from '../../../bench/src/cli/usage-error.js';
import type { RunOptions } from '../../../bench/src/cli/command.js';
import { SCENARIOS } from '../../../bench/src/scenarios/scenarios.js';

const [scenario] = SCENARIOS;
let told: string;
beforeEach(() => {
  told = '';
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
});
afterEach(() => void jest.restoreAllMocks());

/** The results of a run in which Bedrock took so many times what raw takes. */
function resultsOf(ratioToRaw: number | undefined) {
  const row = { library: 'bedrock', figures: {}, ratioToRaw, failure: undefined } as const;
  return [{ scenario: scenario!, rows: [row] }];
}

describe('the bench ends', () => {
  it('with 0 when every target was reached', () => {
    expect(checkTargets(resultsOf(1))).toBe(0);
    expect(told).toBe('');
  });

  it.each([9, undefined])('with 1 and a line for each target that was missed (measured: %p)', (ratio) => {
    expect(checkTargets(resultsOf(ratio))).toBe(1);
    expect(told).toMatch(/^S1: .+\n$/);
  });

  it('with 2 and a hint for a wrong option', () => {
    expect(explain(new UsageError('--rounds is given twice'))).toBe(2);
    expect(told).toBe('error: --rounds is given twice\nhint: npm run bench -- --help lists every option\n');
  });

  it.each([new Error('no Redis answers'), 'no Redis answers'])('with 3 for what cannot run: %p', (error) => {
    expect(explain(error)).toBe(3);
    expect(told).toBe('error: the run could not be completed: no Redis answers\n');
  });

  it('with 2, before any server is started, when none of the libraries takes part', async () => {
    const run = parseCommand(['--scenario', 'S2', '--library', 'async-mutex,alone'], {}) as RunOptions;
    const failure: unknown = await runBench(run).catch((error: unknown) => error);
    expect(explain(failure)).toBe(2);
    expect(told).toMatch(/^error: these scenarios use none of these libraries\nhint: .+\n$/);
  });
});
