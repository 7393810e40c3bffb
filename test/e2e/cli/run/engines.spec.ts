import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from 'bedrock-testkit';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bedrock, MAIN, startBedrock } from '../bedrock-command.js';
import { ENGINES, type EngineTarget } from '../engine-targets.js';

const RUNS = 6;
/** Reads a number, takes its time, and writes the next: without a lock some of the runs are lost. */
const COUNT = 'n=$(cat "$0"); sleep 0.1; echo $((n + 1)) >"$0"; echo "$BEDROCK_TOKEN"';

describe.each(ENGINES)('bedrock run on %s', (_engine, start, tables) => {
  let target: EngineTarget;
  let folder: string;
  let counter: string;

  beforeAll(async () => {
    target = await start();
    folder = mkdtempSync(join(tmpdir(), 'bedrock-cli-'));
    counter = join(folder, 'counter');
  }, 60_000);
  afterAll(async () => {
    await target?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('runs commands one after the other, with tokens that grow', async () => {
    writeFileSync(counter, '0\n');
    const args = ['run', '--url', target.url, ...tables, 'cli-count', '--', 'sh', '-c', COUNT, counter];
    // Makes the tables, where there are some.
    const outcomes = [await bedrock(args)];
    outcomes.push(...(await Promise.all(Array.from({ length: RUNS - 1 }, () => bedrock(args)))));
    expect(outcomes.map(({ code }) => code)).toEqual(Array.from({ length: RUNS }, () => 0));
    expect(readFileSync(counter, 'utf8')).toBe(`${RUNS}\n`);
    const tokens = new Set(outcomes.map(({ stdout }) => Number(stdout)));
    expect(tokens.size).toBe(RUNS);
    expect(Math.min(...tokens)).toBeGreaterThan(0);
    expect(Number(outcomes[0]!.stdout)).toBe(Math.min(...tokens));
  }, 90_000);

  it('ends with 75 for a lock that is held', async () => {
    const args = ['run', '--url', target.url];
    const inner = `exec "$0" "$1" run --url '${target.url}' --wait 0s cli-held -- echo started`;
    const outcome = await bedrock([...args, 'cli-held', '--', 'sh', '-c', inner, process.execPath, MAIN]);
    expect(outcome).toMatchObject({ code: 75, stdout: '' });
    expect(outcome.stderr).toContain('cli-held: was not granted: it is held by bedrock run ');
  }, 60_000);

  it('shows the holder of a lock, and frees the lock, which ends the command', async () => {
    const running = startBedrock([
      'run',
      '--url',
      target.url,
      'cli-shown',
      '--',
      'sh',
      '-c',
      'echo on; exec sleep 60',
    ]);
    await eventually('the command runs', () => running.said.stdout.includes('on'));
    const shown = await bedrock(['show', '--url', target.url, '--json', 'cli-shown']);
    const { holders } = JSON.parse(shown.stdout) as { holders: { id: string; process: object }[] };
    expect(holders).toMatchObject([{ mode: 'exclusive', process: { pid: running.process.pid } }]);
    const listed = await bedrock(['ls', '--url', target.url, '--json', 'cli-sh']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      resource: 'cli-shown',
      holders: [{ id: holders[0]!.id }],
    });
    const processes = await bedrock(['processes', '--url', target.url]);
    expect(processes.stdout).toMatch(new RegExp(`^bedrock run +${running.process.pid} `, 'm'));
    const args = ['--url', target.url, '--yes', '--holder', holders[0]!.id, 'cli-shown'];
    expect(await bedrock(['release', ...args])).toMatchObject({
      code: 0,
      stdout: `cli-shown was taken from ${holders[0]!.id}\n`,
    });
    expect((await running.ended).code).toBe(76);
    expect(await bedrock(['show', '--url', target.url, 'cli-shown'])).toMatchObject({
      stdout: 'cli-shown is free\n',
    });
  }, 60_000);
});
