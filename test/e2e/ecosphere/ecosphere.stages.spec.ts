import { beforeAll, describe, expect, it } from '@jest/globals';
import { startProxy, startRedis } from 'bedrock-servers';
import { runTrial } from '../../../apps/ecosphere/src/stages/run-trial.js';
import { ecosphere, type Outcome } from './ecosphere-command.js';

/** The cells of one line of the table. */
function rowOf({ lines }: Outcome, name: string): string[] {
  const line = lines.find((one) => one.startsWith(`  ${name}`) && /\b(?:ok|BROKEN)\b/.test(one));
  return line?.match(/\b(?:ok|BROKEN)\b/g) ?? [];
}

describe('the five stages of a hand-made lock, and Bedrock', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await ecosphere(['--scenario', 'stages']);
  }, 180_000);

  const X = 'BROKEN';
  it.each([
    ['stage 1', 'crash between SETNX and EXPIRE', [X, X, X, X, X, X]],
    ['stage 2', 'foreign delete', ['ok', X, X, X, X, X]],
    ['stage 3', 'late delete after the check', ['ok', 'ok', X, X, X, X]],
    ['stage 4', 'body longer than the lease', ['ok', 'ok', 'ok', X, X, X]],
    ['stage 5', 'late write, and re-entry', ['ok', 'ok', 'ok', 'ok', X, X]],
    ['Bedrock', 'nothing of these', ['ok', 'ok', 'ok', 'ok', 'ok', 'ok']],
  ])('%s falls first to: %s', (name, _fault, cells) => {
    expect(rowOf(outcome, name)).toEqual(cells);
  });

  it('is judged by what a referee saw, not by what was expected', () => {
    expect(outcome.stdout).toContain('no caller got in within');
    expect(outcome.stdout).toContain('B and C were inside together');
    expect(outcome.stdout).toContain('A and B were inside together');
    expect(outcome.stdout).toMatch(
      /Bedrock +late write +the late write was refused, the holder was notified of the loss/,
    );
  });

  it('delays the deletion for longer than the lease, however long that is', async () => {
    const server = await startRedis();
    const input = {
      implementation: 'Bedrock',
      fault: 'late delete',
      url: server.url,
      prefix: 'late:',
    } as const;
    const { isBroken } = await runTrial({ ...input, leaseMs: 1_500 }).finally(() => server.stop());
    expect(isBroken).toBe(false);
  }, 90_000);

  it('does not take a nested call that waited for the end of the lease for a re-entry', async () => {
    const server = await startRedis();
    const slow = await startProxy(server.port);
    slow.delay(400, 'requests');
    const input = { implementation: 'stage 2', fault: 're-entry', prefix: 'slow:', leaseMs: 300 } as const;
    const { isBroken } = await runTrial({ ...input, url: `redis://${slow.host}:${slow.port}` }).finally(() =>
      Promise.all([slow.stop(), server.stop()]),
    );
    expect(isBroken).toBe(true);
  }, 60_000);

  it('ends with exit code 0 and one line', () => {
    expect(outcome.stderr).toBe('');
    expect(outcome.lastLine).toBe('stages: trials 36, unexpected 0, Bedrock broken 0');
    expect(outcome.code).toBe(0);
  });
});
