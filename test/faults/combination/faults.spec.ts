import { Cell, runCell, type CellResult } from './cell.js';
import { FAULTS } from './faults.js';
import { tableOf } from './table.js';
import { assertSound } from './run-result.js';

/** A part of what `npm run faults` does, for every change. */
const SHORT = { injections: 2, cycles: 20, seed: 1 };
const SIZES = [3, 5];
const WITHIN_MS = 90_000;

/** What loses data, or needs servers of its own kind, is checked alone: it might wipe out what another fault has left. */
const ALONE = FAULTS.filter(({ losesData = false, args }) => losesData || args !== undefined);
const TOGETHER = FAULTS.filter((fault) => !ALONE.includes(fault));
const named = (faults: typeof FAULTS) => faults.map((fault) => [fault.name, fault] as const);

describe('a lock on real nodes', () => {
  const table: CellResult[] = [];
  let cells: Promise<Cell>[] = [];
  const shared = (): Promise<Cell[]> => {
    if (cells.length === 0) cells = SIZES.map((nodes) => Cell.open({ nodes }));
    return Promise.all(cells);
  };
  const closeShared = async (): Promise<void> => {
    const opened = await Promise.allSettled(cells.splice(0));
    await Promise.all(opened.map(async (one) => one.status === 'fulfilled' && one.value.close()));
  };
  const check = (results: readonly CellResult[]): void => {
    table.push(...results);
    for (const result of results) {
      // A whole history takes a while to check, and the proxies stand still meanwhile: once is enough where it is sound.
      if (result.violations.length > 0) assertSound(result.record);
      expect(result.report.leases).toBeGreaterThanOrEqual(SHORT.cycles);
    }
  };

  afterAll(async () => {
    await closeShared();
    console.log(tableOf(table));
  });

  it.each(named(TOGETHER))(
    'keeps its promises on three and on five: %s',
    async (_name, fault) => {
      try {
        check(await Promise.all((await shared()).map((cell) => cell.inject({ ...SHORT, fault }))));
      } catch (error) {
        // The next fault must not suffer from what this one has broken.
        await closeShared();
        throw error;
      }
    },
    WITHIN_MS,
  );

  it(
    'has nothing left behind when those faults are over',
    async () => {
      const ends = await Promise.all((await shared()).map((cell) => cell.finish()));
      await closeShared();
      for (const record of ends) assertSound(record);
    },
    WITHIN_MS,
  );

  it.each(named(ALONE))(
    'keeps its promises on three and on five: %s',
    async (_name, fault) => {
      check(await Promise.all(SIZES.map((nodes) => runCell({ ...SHORT, fault, nodes }))));
    },
    WITHIN_MS,
  );
});
