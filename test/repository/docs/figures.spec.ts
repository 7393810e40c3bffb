import { SCENARIO_NAMES } from '../../../bench/src/scenarios/names.js';
import { filesBelow, read, rowsOf, section } from './pages.js';

const PAGES = filesBelow('docs/performance', '.md');
const [SUMMARY, SCENARIOS] = ['docs/performance/README.md', 'docs/performance/scenarios.md'] as const;
/** A number as tables write it. */
const number = (text: string): number => Number(text.replaceAll(',', ''));

/** A figure of one row of a scenario's results. */
function figureOf(scenario: string, library: string, head: string): number {
  const [page, heading] = PAGES.flatMap((one) =>
    read(one)
      .split('\n')
      .filter((line) => line.startsWith(`### ${scenario}: `))
      .flatMap((line) => [one, line]),
  );
  const [heads, ...rows] = rowsOf(section(page!, heading!));
  return number(rows.find(([first]) => first === library)![heads!.indexOf(head)]!);
}

describe('the pages of performance', () => {
  const scenarios = rowsOf(section(SCENARIOS, '## Scenarios')).map(([first]) => first!);
  const participants = rowsOf(section(SCENARIOS, '## Contenders')).map(([first]) => first!);

  it('say what each scenario is', () => {
    const told = [...scenarios, section(SCENARIOS, '## Scenarios')].join();
    expect(SCENARIO_NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(told))).toEqual([]);
    expect(SCENARIO_NAMES.filter((name) => !scenarios.join().includes(name)).join()).toBe('S8-sale-10k');
  });

  it('have results of each scenario', () => {
    const text = PAGES.map(read).join('\n');
    expect(SCENARIO_NAMES.filter((name) => !text.includes(`\n### ${name}: `))).toEqual([]);
  });

  it('sum them up', () => {
    const [, , ...rows] = rowsOf(section(SUMMARY, '## Summary'));
    expect(rows.length).toBeGreaterThan(7);
    for (const [scenario, , figure, bedrock, raw] of rows) {
      const measured = ['Bedrock', 'raw'].map((library) => figureOf(scenario!, library, figure!));
      expect([scenario, number(bedrock!), number(raw!)]).toEqual([scenario, ...measured]);
    }
  });

  it('name the participant of each row of the results', () => {
    const [, titles = ''] =
      /TITLES = \{([\s\S]*?)\} as const/.exec(read('bench/src/libraries/catalogue.ts')) ?? [];
    const rows = Array.from(titles.matchAll(/: '(.*)',$/gm), ([, title]) => title!);
    expect(rows.length).toBeGreaterThan(40);
    const told = participants.slice(2).flatMap((cell) => cell.split('; '));
    expect(told.sort()).toEqual(rows.sort());
  });
});

describe('the page of the backends', () => {
  const rows = rowsOf(read('docs/backends/README.md'));
  const measured = (page: string): string => rows.find(([first]) => first!.includes(`](${page})`))!.at(-1)!;

  it.each([
    ['redis.md', 'Redis'],
    ['zookeeper.md', 'ZooKeeper'],
    ['etcd.md', 'etcd'],
    ['postgres.md', 'PostgreSQL'],
    ['mysql.md', 'MariaDB'],
  ])('%s: has the figures of the results', (page, engine) => {
    const alone = figureOf('E1', `${engine}, Bedrock`, 'cycle p50, µs');
    const contended = figureOf('E3', `${engine}, Bedrock`, 'cycles/s');
    expect(measured(page)).toBe(`${(alone / 1_000).toFixed(3)} ms; ${contended} /s`);
  });

  it('has those of the combination', () => {
    const alone = figureOf('S8', 'Bedrock', 'cycle p50, µs');
    expect(measured('combination.md')).toBe(`${(alone / 1_000).toFixed(3)} ms (three nodes)`);
  });
});
