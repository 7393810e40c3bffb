import { runCell } from './cell.js';
import type { Fault } from './fault.js';
import { soak } from './soak.js';
import { LEASE_MS } from './settings.js';
import { assertSound } from './run-result.js';

/** A part of what `npm run soak` does, for every change. */
const SOAK = {
  ...{ minutes: 0.2, nodes: 3, processes: 3, keys: 2, seed: 7 },
  gapMs: [500, 1_500] as const,
  log: () => undefined,
};
const WITHIN_MS = 90_000;
/** The longest hold, a pause, and an attempt that finds two nodes silent. */
const ENOUGH_MS = 2_000;

describe('a lock on real nodes', () => {
  it(
    'counts exactly while faults of all kinds strike',
    async () => {
      const result = await soak(SOAK);
      assertSound(result.record);
      expect(result.faults).toBeGreaterThan(1);
      expect(result.increments).toBeGreaterThan(100);
    },
    WITHIN_MS,
  );
});

describe('the checks of these histories', () => {
  /**
   * A process behind the proxies sees the first node alone. If that is enough for a lock, the process is stopped within its
   * lease; then the node freezes, and a process that sees all the others has the rest of the lease to be granted it too.
   */
  const SPLIT: Fault = {
    name: 'a split view',
    async inject({ deployment: { nodes }, pool }) {
      const [first, ...others] = nodes;
      const [, seesAll, seesOne] = pool.processes;
      for (const { proxy } of others) proxy.dropRequests();
      const isEnough = await pool.holdsWithin(seesOne!, ENOUGH_MS);
      if (isEnough) seesOne!.signal('SIGSTOP');
      first!.server.pause();
      await pool.holdsWithin(seesAll!, LEASE_MS);
      first!.server.resume();
      if (isEnough) seesOne!.signal('SIGCONT');
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
      assertSound(safe.record);
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
