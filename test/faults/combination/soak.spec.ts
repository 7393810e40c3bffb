import { runCell } from './cell.js';
import type { Fault } from './fault.js';
import { pass } from './pass.js';
import { soak } from './soak.js';
import { assertSound } from './verdict.js';

/** A part of what `npm run soak` does, for every change. */
const SOAK = {
  ...{ minutes: 0.15, nodes: 3, processes: 3, keys: 2, seed: 7 },
  gapMs: [500, 1_500] as const,
  tell: () => undefined,
};
const WITHIN_MS = 90_000;

describe('a lock on real nodes', () => {
  it(
    'counts exactly while faults of all kinds strike',
    async () => {
      const result = await soak(SOAK);
      assertSound(result.evidence);
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
  const plan = { fault: SPLIT, nodes: 3, injections: 4, cycles: 20, seed: 1 };

  it(
    'sees two holders where one node is enough for a lock, and none where two of three are needed',
    async () => {
      const [safe, unsafe] = await Promise.all([
        runCell(plan),
        runCell({ ...plan, rules: { minNodes: 1, unsafeMinNodes: true } }),
      ]);
      assertSound(safe.evidence);
      expect(unsafe.violations).toContainEqual(expect.stringMatching(/^I1: /));
    },
    WITHIN_MS,
  );

  it(
    'sees two writers where any one node is enough, whatever the others say',
    async () => {
      const rules = { minNodes: 1, unsafeMinNodes: true, strategy: 'majority' } as const;
      const { violations } = await soak({ ...SOAK, rules });
      expect(violations).toContainEqual(expect.stringMatching(/^I1: /));
      expect(violations).toContainEqual(expect.stringMatching(/is held and old/));
    },
    WITHIN_MS,
  );
});
