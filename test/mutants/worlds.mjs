/** Worlds where a rule matters: instead of what a seed draws. Clocks go apart as far as they may. */

const alike = { isCalm: false, promised: 'all', drift: 0.0049, hiccupShare: 0, interruptions: 0, naps: 0 };

/** One server, short leases, and much that goes wrong. */
export const ROUGH = {
  ...alike,
  ...{ backend: 'single', restartGuard: false, maxLeaseMs: 30_000, leaseMs: 300, operationTimeoutMs: 300 },
  ...{ kinds: ['mutex'], holdMs: 10, thinkMs: 5, waitMs: 1_000, faults: 20, loadMs: 4_000, processes: 3 },
};

/** Leases that are long enough for clocks to go apart, and callers who wait for them. */
export const PATIENT = { ...ROUGH, leaseMs: 1_000, loadMs: 6_000, waitMs: 3_000 };

/** Where a grant that is never given back stays for long: it is still there in the end. */
export const LASTING = {
  ...ROUGH,
  ...{ leaseMs: 30_000, operationTimeoutMs: 100, waitMs: 200, faults: 12, faultsOf: 'network' },
};

/** Where processes die in line. */
export const DEADLY = {
  ...ROUGH,
  leaseMs: 100,
  faults: 6,
  loadMs: 8_000,
  waitMs: 3_000,
  tasks: 3,
  thinkMs: 30,
};

/** Servers that lose what they have, with a guard. */
export const GUARDED = {
  ...ROUGH,
  restartGuard: true,
  maxLeaseMs: 1_500,
  leaseMs: 1_500,
  loadMs: 9_000,
  faults: 25,
};

/** Nothing goes wrong, so hand-overs are quick. */
export const CALM = {
  ...alike,
  isCalm: true,
  backend: 'single',
  restartGuard: false,
  maxLeaseMs: 30_000,
  faults: 0,
};

/** Several nodes, and much that goes wrong. */
export const NODES = {
  ...alike,
  ...{
    backend: 'combination',
    nodes: 3,
    restartGuard: true,
    maxLeaseMs: 1_500,
    leaseMs: 600,
    kinds: ['mutex'],
  },
  ...{ coldStart: 'trust', holdMs: 10, thinkMs: 5, waitMs: 1_000, faults: 25, loadMs: 4_000, processes: 3 },
};

/** Several nodes, and grants that stay for long. */
export const LASTING_NODES = {
  ...NODES,
  maxLeaseMs: 30_000,
  leaseMs: 30_000,
  waitMs: 200,
  faultsOf: 'network',
};

/** Several nodes that are hard to reach, and locks that are held for as long as their leases. */
export const CUT_OFF_NODES = { ...NODES, holdMs: 300, faults: 60, faultsOf: 'network' };

/** Machines that sleep, for longer than their leases too. */
export const SLEEPY = {
  ...ROUGH,
  ...{ leaseMs: 1_000, faults: 2, naps: 12, longestNapMs: 4_000, loadMs: 8_000, waitMs: 3_000 },
};
