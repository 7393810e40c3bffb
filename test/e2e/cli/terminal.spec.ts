import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from 'bedrock-testkit';
import {
  bedrock,
  bedrockInTerminal,
  CTRL_C,
  startBedrock,
  type Outcome,
  type RunningCommand,
  type Typing,
} from './bedrock-command.js';
import { ENGINES, startCombination } from './engine-targets.js';

const HELD = ['sh', '-c', 'echo on; exec sleep 60'];

/** The arguments that say where the locks are, and the end of the servers. */
interface CommandTarget {
  readonly where: readonly string[];
  stop(): Promise<void>;
}

/** A busy machine must not look like a backend that is away. */
const PATIENT = ['--operation-timeout', '5s'];

async function combinationTarget(): Promise<CommandTarget> {
  const target = await startCombination();
  return { where: ['--combination', target.file, ...PATIENT], stop: () => target.stop() };
}

const TARGETS = [
  ...ENGINES.map(([engine, start, tables]) => {
    const open = async (): Promise<CommandTarget> => {
      const target = await start();
      const where = ['--url', target.url, ...PATIENT];
      if (tables.length > 0) await bedrock(['run', ...where, ...tables, 'first', '--', 'true']);
      return { where, stop: () => target.stop() };
    };
    return [engine, open] as const;
  }),
  ['a combination', combinationTarget] as const,
];

describe.each(TARGETS)('every verb in a terminal on %s', (engine, open) => {
  let target: CommandTarget;
  let running: RunningCommand;

  beforeAll(async () => {
    target = await open();
    running = startBedrock(['run', ...target.where, 'cli-terminal', '--', ...HELD]);
    await eventually('the command runs', () => running.said.stdout.includes('on'), { withinMs: 20_000 });
  }, 90_000);
  afterAll(async () => {
    running?.process.kill('SIGTERM');
    await running?.ended;
    await target?.stop();
  });

  const verb = (
    name: string,
    args: readonly string[] = [],
    typing: readonly Typing[] = [],
  ): Promise<Outcome> => bedrockInTerminal([name, ...target.where, ...args], typing);
  const pid = (): string => `bedrock run ${running.process.pid}@`;

  it('shows the holder, alone, in lists and among processes', async () => {
    const shown = await verb('show', ['cli-terminal']);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('cli-terminal is held\r\n') });
    expect(shown.stdout).toContain(pid());
    const listed = await verb('ls', ['cli-']);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^LOCK +HELD BY +MODE/) });
    expect(listed.stdout).toContain(pid());
    const watched = await verb('watch', ['cli-'], [{ see: 'cli-terminal', type: CTRL_C }]);
    expect(watched).toMatchObject({ code: 0, stdout: expect.stringMatching(/locks: 1 {2}waiters: 0/) });
    const processes = await verb('processes');
    expect(processes.stdout).toMatch(new RegExp(`bedrock run +${running.process.pid} `));
  }, 60_000);

  it('says which nodes serve, or that there are none', async () => {
    const { code, stdout } = await verb('nodes');
    if (engine === 'a combination')
      expect([code, stdout]).toEqual([0, expect.stringMatching(/node-2 +serves/)]);
    else expect([code, stdout]).toEqual([64, expect.stringContaining('only a combination has nodes')]);
  }, 30_000);

  it('examines the servers, and measures them', async () => {
    const { stdout } = await verb('doctor', ['cli-']);
    expect(stdout).toMatch(/ok +locks +taken and released: mutex/);
    expect(stdout).toMatch(/\d problems?, \d notes?\r\n$/);
    const bench = await verb('bench', ['--for', '50ms', '--callers', '2']);
    expect(bench).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/one lock, 2 backends taking turns +\d/),
    });
  }, 60_000);

  it('waits for it, asks before it is revoked or freed, and frees it', async () => {
    expect((await verb('wait', ['--wait', '0s', 'cli-terminal'])).code).toBe(75);
    const kept = await verb('revoke', ['cli-terminal'], [{ see: '[y/N]', type: 'n\n' }]);
    expect(kept).toMatchObject({ code: 75, stdout: expect.stringContaining('Their renewals are refused') });
    const freed = await verb('release', ['cli-terminal'], [{ see: '[y/N]', type: 'y\n' }]);
    expect(freed).toMatchObject({ code: 0, stdout: expect.stringContaining('cli-terminal was taken from') });
    expect((await running.ended).code).toBe(76);
    expect((await verb('wait', ['--wait', '5s', 'cli-terminal'])).code).toBe(0);
    const ran = await verb('run', ['cli-terminal', '--', 'echo', 'alone']);
    expect(ran).toMatchObject({ code: 0, stdout: 'alone\r\n' });
  }, 60_000);
});
