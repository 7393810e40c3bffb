import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { leaveOutEngines } from '../../../bench/src/cli/leave-out.js';
import { ENGINE_NAMES, type EngineName } from '../../../bench/src/engines/engines.js';
import { engineOf, type LibraryName } from '../../../bench/src/libraries/catalogue.js';
import { engineLines } from '../../../bench/src/report/engine-lines.js';
import { chart } from '../../../bench/src/report/chart.js';
import { enginesChart } from '../../../bench/src/report/engines-chart.js';
import { enginesSection } from '../../../bench/src/report/engines-section.js';
import { e1 } from '../../../bench/src/scenarios/e1.js';
import { e2 } from '../../../bench/src/scenarios/e2.js';
import { e3 } from '../../../bench/src/scenarios/e3.js';
import { e4 } from '../../../bench/src/scenarios/e4.js';
import { runScenario, type Row } from '../../../bench/src/scenarios/run-scenario.js';
import type { Figures, Scenario } from '../../../bench/src/scenarios/scenario.js';
import { teamFigures } from '../../../bench/src/scenarios/team-figures.js';
import type { TeamAccount } from '../../../bench/src/roles/team.js';
import { SectionLog } from '../../../bench/src/figures/section-log.js';

const machine = {
  cpu: 'A CPU',
  cores: 2,
  node: '20.0.0',
  redis: '7.0.15',
  ioredis: '6.0.0',
  date: '2026-01-02',
  load: 0.1,
};
const ground = { url: 'redis', freshKey: () => 'key', urlOf: async (engine: EngineName) => engine };

/** A scenario with the figures of these rows instead of servers. */
async function resultOf(scenario: Scenario, figures: Partial<Record<LibraryName, Figures>>) {
  const libraries = scenario.libraries.filter((library) => library in figures);
  const turn = async (library: LibraryName): Promise<Figures> => figures[library]!;
  return { scenario, rows: await runScenario({ ...scenario, turn }, libraries, 1, ground) };
}

describe('the scenarios of the engines', () => {
  it.each([e1, e2, e3])(
    '$name has every engine by hand and with Bedrock, and compares them with each other',
    (scenario) => {
      const { libraries, rawOf } = scenario;
      for (const engine of ENGINE_NAMES) {
        const own = libraries.filter((library) => engineOf(library) === engine);
        expect(own).toEqual([rawOf!(`bedrock-${engine}`), `bedrock-${engine}`]);
        expect(rawOf!(own[0]!)).toBe(own[0]);
        expect(scenario.targets.map(({ library }) => library)).toContain(`bedrock-${engine}`);
      }
    },
  );

  it('tell the ratio to the raw calls of the same engine', async () => {
    const { rows } = await resultOf(e1, {
      'raw-redis': { p50Us: 10 },
      'bedrock-redis': { p50Us: 11 },
      'raw-etcd': { p50Us: 1_000 },
      'bedrock-etcd': { p50Us: 1_300 },
      'bedrock-mysql': { p50Us: 5 },
    });
    expect(rows.map(({ library, ratioToRaw }) => [library, ratioToRaw])).toEqual([
      ['raw-redis', 1],
      ['bedrock-redis', 1.1],
      ['raw-etcd', 1],
      ['bedrock-etcd', 1.3],
      ['bedrock-mysql', undefined],
    ]);
  });

  it('compare the herd of one node with the line of ZooKeeper', () => {
    expect(e4.libraries.every((library) => engineOf(library) === 'zookeeper')).toBe(true);
    expect(e4.rawOf!('bedrock-zookeeper')).toBe('herd-zookeeper');
  });

  it('know the engine of every row, and Redis for those that name none', () => {
    expect(engineOf('advisory-postgres')).toBe('postgres');
    expect(engineOf('named-mysql')).toBe('mysql');
    expect(engineOf('redlock-5')).toBe('redis');
  });
});

describe('a team in the bench', () => {
  it('is measured by the times when the lock changed processes, and by the events of each release', () => {
    const account = (turns: number[], own: Partial<TeamAccount>): TeamAccount => {
      const log = new SectionLog();
      for (const at of turns) log.add(at - 1, at, at + 1, 0);
      const rest = { failures: 0, commands: 0, notifications: 0, echoes: 0, waitingSince: [Infinity] };
      return { from: 0, until: 100, sections: log.pack(), ...rest, ...own };
    };
    const figures = teamFigures(
      [
        account([10, 12, 14, 30], { commands: 10, notifications: 6 }),
        account([20, 22, 40, 42], { commands: 2, notifications: 2, echoes: 4 }),
      ],
      1,
    );
    // 10 12 14 | 20 22 | 30 | 40 42
    expect(figures).toMatchObject({
      commandsPerCycle: 1.5,
      commandsPerChange: 4,
      notificationsPerRelease: 1,
      echoesPerRelease: 0.5,
      overlaps: 0,
    });
  });
});

describe('an engine that cannot be had', () => {
  let told: string;
  beforeEach(() => {
    told = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      told += String(text);
      return true;
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  it('is left out with one line that says why, and the others stay', async () => {
    const urlOf = async (engine: EngineName): Promise<string> => {
      if (engine !== 'etcd') return engine;
      throw new Error('No etcd server could be found. Tried:\n  - local: no etcd on PATH\nInstall etcd.');
    };
    const left = await leaveOutEngines({ scenario: e1, libraries: e1.libraries }, { urlOf });
    expect(left).toEqual(e1.libraries.filter((library) => engineOf(library) !== 'etcd'));
    expect(told).toBe('bench: E1 without etcd: No etcd server could be found. Install etcd.\n');
  });

  it('is not asked for by scenarios that do not need it', async () => {
    const asked: EngineName[] = [];
    const urlOf = async (engine: EngineName): Promise<string> => {
      asked.push(engine);
      return engine;
    };
    expect(await leaveOutEngines({ scenario: e4, libraries: e4.libraries }, { urlOf })).toEqual(e4.libraries);
    expect(asked).toEqual(['zookeeper']);
  });
});

describe('the engines in the report', () => {
  const failed: Row = { library: 'bedrock-etcd', figures: {}, ratioToRaw: undefined, failure: 'no etcd' };
  const report = async () => ({
    machine,
    engines: ['ZooKeeper 3.8.0, node-zookeeper-client 1.1.3'],
    results: [
      await resultOf(e1, { 'raw-zookeeper': { p50Us: 700 }, 'bedrock-zookeeper': { p50Us: 770 } }),
      await resultOf(e2, { 'raw-zookeeper': { cyclesPerS: 1_000 }, 'bedrock-zookeeper': { cyclesPerS: 200_000 } }), // prettier-ignore
      await resultOf(e3, {
        'raw-zookeeper': { cyclesPerS: 400 },
        'bedrock-zookeeper': { cyclesPerS: 600, commandsPerCycle: 0.83, longestWaitMs: 222 },
      }),
    ],
  });

  it('are one table, with a dash for what was not measured', async () => {
    const { results, ...rest } = await report();
    const section = enginesSection({
      ...rest,
      results: results.map((one, i) => (i === 0 ? { ...one, rows: [...one.rows, failed] } : one)),
    });
    const cells = section.split('\n').map((line) => line.replace(/ +/g, ' '));
    expect(cells).toContain('| ZooKeeper | 770 | 1.10 | 200,000 | 200 | 600 | 1.50 | 0.83 | 222 |');
    expect(cells).toContain('| etcd | - | - | - | - | - | - | - | - |');
    expect(section).toContain('(../images/engines.svg)');
    expect(section).toMatch(/\nZooKeeper 3\.8\.0, node-zookeeper-client 1\.1\.3\.$/);
    expect(enginesSection({ ...rest, results: [] })).toBe('');
  });

  it('are a chart of their own, and not rows of the other', async () => {
    const svg = enginesChart(await report());
    expect(svg).toMatch(/^<svg [^>]*role="img"[^]*<\/svg>\n$/);
    // Three panels, and the legend.
    expect(svg.match(/class="bedrock"/g)).toHaveLength(4);
    expect(svg.match(/class="peer"/g)).toHaveLength(4);
    expect(svg).toContain('>200,000<');
    expect(svg).not.toContain('NaN');
    expect(engineLines((await report()).results).map(({ engine }) => engine)).toEqual(['zookeeper']);
    expect(chart(await report())).not.toContain('E1');
  });

  it('leave the chart empty of an engine that failed', async () => {
    const { results, ...rest } = await report();
    const svg = enginesChart({ ...rest, results: [{ ...results[0]!, rows: [...results[0]!.rows, failed] }] });
    expect(svg).toContain('>etcd<');
    expect(svg).not.toContain('NaN');
  });
});
