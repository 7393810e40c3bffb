import { findPromtool } from 'bedrock-servers';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'observability/prometheus');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/** The alerts, each with its text. */
const ALERTS = new Map(
  read('rules.yml')
    .split(/^ +- alert: /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text] as const),
);

/** The cases by their series: the alert that one is about, and whether it fires at any time of them. */
const CASES = read('rules.test.yml')
  .split(/^ +- name: /m)
  .slice(1)
  .map((text) => ({
    alerts: [...new Set(Array.from(text.matchAll(/^ +alertname: (\w+)$/gm), ([, name]) => name!))],
    fires: text.includes('exp_labels:'),
  }));

/** What promtool prints. @throws Error with it, where promtool finds a fault */
async function promtool(...args: string[]): Promise<string> {
  const program = await findPromtool();
  try {
    const { stdout, stderr } = await run(program, args, { cwd: FOLDER, timeout: 60_000 });
    return stdout + stderr;
  } catch (error) {
    const { message, stdout = '' } = error as Error & { readonly stdout?: string };
    // The message includes stderr.
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}

describe('the alerts', () => {
  it('are accepted by promtool', async () => {
    expect(await promtool('check', 'rules', 'rules.yml')).toContain(`SUCCESS: ${ALERTS.size} rules found`);
  }, 180_000);

  it('fire and stay quiet as their cases say', async () => {
    expect(await promtool('test', 'rules', 'rules.test.yml')).toContain('SUCCESS');
  }, 180_000);

  it('have a case that fires and one that stays quiet, each', () => {
    const names = [...ALERTS.keys()].sort();
    const alertsOf = (fires: boolean): readonly string[] => [
      ...new Set(CASES.filter((one) => one.fires === fires).flatMap(({ alerts }) => alerts)),
    ];
    expect(names).toHaveLength(7);
    expect(CASES.filter(({ alerts }) => alerts.length !== 1)).toEqual([]);
    expect([...alertsOf(true)].sort()).toEqual(names);
    expect([...alertsOf(false)].sort()).toEqual(names);
  });

  it.each([...ALERTS])('say how bad they are and what to do: %s', (_name, text) => {
    expect(text).toMatch(/^ +severity: (critical|warning)$/m);
    expect(text).toMatch(/^ +summary: '.*\{\{ \$labels\.\w+ \}\}.*'$/m);
    expect(text).toMatch(/^ +description: >-\n.*\w/m);
    const [, page = '', anchor = ''] = /^ +runbook: (.+)#(.+)$/m.exec(text) ?? [];
    const headings = readFileSync(join(ROOT, page), 'utf8').matchAll(/^## (.+)$/gm);
    expect(Array.from(headings, ([, heading]) => heading!.toLowerCase().replaceAll(' ', '-'))).toContain(
      anchor,
    );
  });
});
