import { describe, expect, it } from '@jest/globals';
import { ExclusionChecker } from 'bedrock-testkit';
import type { LibraryName } from '../../../bench/src/libraries/catalogue.js';
import { runScenario } from '../../../bench/src/scenarios/run-scenario.js';
import type { Figures, Scenario } from '../../../bench/src/scenarios/scenario.js';

const ground = { url: '', freshKey: () => 'key', urlOf: async () => '' };

function scenarioOf(
  turn: (library: LibraryName) => Promise<Figures>,
  more: Partial<Scenario> = {},
): Scenario {
  return {
    name: 'S1',
    title: 'a scenario of a test',
    short: 'test',
    libraries: ['raw', 'bedrock', 'verrou'],
    rounds: 3,
    turn,
    compared: 'ms',
    better: 'less',
    columns: [],
    targets: [],
    ...more,
  };
}

describe('a scenario of the bench', () => {
  it('lets every library begin a round in its turn, one at a time', async () => {
    const order: LibraryName[] = [];
    let atWork = 0;
    const scenario = scenarioOf(async (library) => {
      order.push(library);
      expect(++atWork).toBe(1);
      await Promise.resolve();
      atWork -= 1;
      return { ms: 1 };
    });
    await runScenario(scenario, scenario.libraries, 3, ground);
    expect(order.join()).toBe('raw,bedrock,verrou,bedrock,verrou,raw,verrou,raw,bedrock');
  });

  it('tells medians, the ratio to raw of the same round, and the worst of what must not happen', async () => {
    const times: Partial<Record<LibraryName, number[]>> = { raw: [10, 100, 20], bedrock: [5, 50, 30] };
    const scenario = scenarioOf(
      async (library) => {
        const ms = times[library]!.shift()!;
        return { ms, overlaps: ms === 50 ? 1 : 0 };
      },
      { worst: ['overlaps'] },
    );
    const [raw, bedrock] = await runScenario(scenario, ['raw', 'bedrock'], 3, ground);
    expect(raw).toEqual({
      library: 'raw',
      figures: { ms: 20, overlaps: 0 },
      ratioToRaw: 1,
      failure: undefined,
    });
    expect(bedrock).toMatchObject({ figures: { ms: 30, overlaps: 1 }, ratioToRaw: 0.5 });
  });

  it('adds the ratio to another reference', async () => {
    const scenario = scenarioOf(async (library) => ({ ms: library === 'alone' ? 8 : 6 }), {
      relative: { figure: 'ofBodyAlone', to: 'alone' },
    });
    const rows = await runScenario(scenario, ['alone', 'bedrock'], 2, ground);
    expect(rows.map(({ figures }) => figures['ofBodyAlone'])).toEqual([1, 0.75]);
    expect(rows.map(({ ratioToRaw }) => ratioToRaw)).toEqual([undefined, undefined]);
  });

  it('says why a library could not run, leaves it out from then on, and goes on with the others', async () => {
    let calls = 0;
    const scenario = scenarioOf(async (library) => {
      if (library !== 'verrou') return { ms: 1 };
      calls += 1;
      throw new Error('needs another client');
    });
    const rows = await runScenario(scenario, scenario.libraries, 3, ground);
    expect(calls).toBe(1);
    expect(rows[2]).toMatchObject({ library: 'verrou', figures: {}, failure: 'needs another client' });
    expect(rows[1]).toMatchObject({ figures: { ms: 1 }, ratioToRaw: 1, failure: undefined });
  });

  it('runs as many libraries at the same time as a scenario allows', async () => {
    const checker = new ExclusionChecker(2);
    const scenario = scenarioOf(
      () =>
        checker.run(async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return { ms: 1 };
        }),
      { lanes: 2 },
    );
    await runScenario(scenario, scenario.libraries, 1, ground);
    checker.assertExclusion();
    expect(checker.peak).toBe(2);
  });
});
