import { runCell, type CellPlan, type CellResult } from './cell.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults.js';
import { pass } from './pass.js';
import { soak } from './soak.js';
import { tableOf } from './table.js';

/** A part of what `npm run faults` and `npm run soak` do, for every change. */
const SHORT = { injections: 2, cycles: 20, seed: 1 };
const SOAK = { minutes: 0.25, nodes: 3, processes: 3, keys: 2, seed: 7, tell: () => undefined };
const WITHIN_MS = 90_000;

describe('a lock on real nodes', () => {
  const table: CellResult[] = [];
  afterAll(() => console.log(tableOf(table)));

  it.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    'keeps its promises on three and on five: %s',
    async (_name, fault) => {
      const results = await Promise.all([3, 5].map((nodes) => runCell({ ...SHORT, fault, nodes })));
      for (const result of results) {
        table.push(result);
        expect(result.violations).toEqual([]);
        expect(result.report.leases).toBeGreaterThanOrEqual(SHORT.cycles);
      }
    },
    WITHIN_MS,
  );

  it(
    'counts exactly while faults of all kinds strike',
    async () => {
      const result = await soak(SOAK);
      expect(result.violations).toEqual([]);
      expect(result.faults).toBeGreaterThan(1);
      expect(result.increments).toBeGreaterThan(100);
    },
    WITHIN_MS,
  );
});

describe('the judge of these histories', () => {
  /** Those behind the proxies see the first node alone; then that one freezes, and the others see all but that one. */
  const SPLIT: Fault = {
    name: 'a split view',
    async strike({ site: { nodes } }) {
      const [first, ...others] = nodes;
      for (const { proxy } of others) proxy.dropRequests();
      await pass(700);
      first!.server.pause();
      await pass(700);
      first!.server.resume();
      for (const { proxy } of others) {
        proxy.dropRequests(false);
        proxy.cut();
      }
    },
  };
  const plan: CellPlan = { ...SHORT, fault: SPLIT, nodes: 3, injections: 4 };

  it(
    'sees two holders where one node is enough for a lock, and none where two of three are needed',
    async () => {
      const [safe, unsafe] = await Promise.all([
        runCell(plan),
        runCell({ ...plan, rules: { minNodes: 1, unsafeMinNodes: true } }),
      ]);
      expect(safe.violations).toEqual([]);
      expect(unsafe.violations).toContainEqual(expect.stringMatching(/^I1: /));
    },
    WITHIN_MS,
  );

  it(
    'sees two writers where any one node is enough, whatever the others say',
    async () => {
      const rules = { minNodes: 1, unsafeMinNodes: true, strategy: 'majority' } as const;
      const { violations } = await soak({ ...SOAK, minutes: 0.2, rules });
      expect(violations).toContainEqual(expect.stringMatching(/^I1: /));
      expect(violations).toContainEqual(expect.stringMatching(/is held and old/));
    },
    WITHIN_MS,
  );
});
