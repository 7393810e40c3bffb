import { KEPT_SEEDS } from './kept-seeds.js';
import { runSeed, runSeeds } from './seed-runner.js';
import { traceTo } from './trace.js';
import { simulate } from './world/simulate.js';

/** Of every kind of world; `npm run simulate` has the rest. */
const SEEDS = 30;

async function traceOf(seed: number): Promise<string[]> {
  const lines: string[] = [];
  await simulate(
    seed,
    traceTo((line) => lines.push(line)),
  );
  return lines;
}

it(`keeps every promise in ${SEEDS} worlds`, async () => {
  const { failures, leases } = await runSeeds({ from: 1, seeds: SEEDS, step: 1, backend: undefined });
  expect(failures).toEqual([]);
  expect(leases).toBeGreaterThan(SEEDS * 20);
}, 120_000);

it('makes the same world of the same seed, to the last event', async () => {
  for (const seed of [3, 4, 5]) {
    const first = await traceOf(seed);
    expect(first.length).toBeGreaterThan(100);
    expect(await traceOf(seed)).toEqual(first);
  }
});

it('makes other worlds of other seeds', async () => {
  expect(await traceOf(3)).not.toEqual(await traceOf(4));
});

for (const { seed, backend, reason } of KEPT_SEEDS) {
  it(`keeps seed ${seed} fixed: ${reason}`, async () => {
    expect((await runSeed(seed, backend)).violations).toEqual([]);
  });
}
