import type { Prng } from './prng.js';

/**
 * What the promise says about a seed: beyond it, two may hold at once, but nothing else may go wrong. Where a machine stands
 * still and none of its clocks counts that, its locks cannot know, and only the store is guarded, by tokens.
 */
export type Promised = 'all' | 'no exclusion' | 'guarded writes';

export type BackendName = 'single' | 'combination';

export type LockKindName = 'mutex' | 'fairMutex' | 'readWriteLock' | 'semaphore';

/** All that a seed says before it begins. */
export interface Scenario {
  readonly backend: BackendName;
  readonly nodes: number;
  /** How a combination asks its nodes. */
  readonly strategy: 'leftmost' | 'majority';
  readonly contention: 'parallelFirst' | 'sequential';
  readonly fencing: boolean;
  /** How a combination treats a node that no client has seen before. */
  readonly coldStart: 'wait' | 'trust';
  readonly promised: Promised;
  /** No faults, and a good network: hand-overs are quick as well. */
  readonly isCalm: boolean;
  readonly processes: number;
  readonly tasks: number;
  readonly kinds: readonly LockKindName[];
  readonly leaseMs: number;
  readonly operationTimeoutMs: number;
  readonly restartGuard: boolean;
  readonly maxLeaseMs: number;
  readonly quantumMs: number;
  readonly waitMs: number;
  /** Mean time that a lock is held, ms. */
  readonly holdMs: number;
  /** Mean time between two uses of a task, ms. */
  readonly thinkMs: number;
  readonly loadMs: number;
  /** Longest departure of a clock's rate from that of the world. */
  readonly drift: number;
  readonly faults: number;
  /** What goes wrong: all there is, or the network alone. */
  readonly faultsOf: 'all' | 'network';
  /** How often a process is interrupted between two statements, and for how long at most, ms. */
  readonly hiccupShare: number;
  readonly longestHiccupMs: number;
  readonly permits: number;
  /** How often a script is interrupted by the system between two commands. */
  readonly interruptions: number;
  /** How often a machine sleeps, or, where only guarded writes are promised, stands still with all of its clocks. */
  readonly naps: number;
  readonly longestNapMs: number;
}

const SHARED: readonly LockKindName[] = ['readWriteLock', 'semaphore', 'fairMutex'];

/** Rates of two clocks are then apart by less than 1 %. */
const DRIFT_WITHIN = 0.0049;

/** A nap is as long as ten leases at most, and over before a world ends. */
const LONGEST_NAP_MS = 5_000;

/**
 * Machines sleep in every fourth world. Its number says so and nothing is drawn for it, so that the worlds of the other seeds
 * stay what they were.
 */
function hasNaps(seed: number): boolean {
  return seed % 4 === 1;
}

/** @param chosen instead of what the seed draws */
export function scenarioOf(seed: number, prng: Prng, chosen: BackendName | undefined): Scenario {
  const scenario = drawnFrom(prng, chosen);
  if (!hasNaps(seed) || scenario.isCalm) return scenario;
  const naps = prng.whole(1, 4);
  const isUnseen = scenario.promised === 'all' && scenario.fencing && prng.chance(0.2);
  return { ...scenario, naps, ...(isUnseen && { promised: 'guarded writes' }) };
}

function drawnFrom(prng: Prng, chosen: BackendName | undefined): Scenario {
  const drawn = prng.chance(0.2) ? 'combination' : 'single';
  const backend = chosen ?? drawn;
  const isCombination = backend === 'combination';
  const isCalm = prng.chance(0.1);
  const unlessCalm = (share: number): boolean => !isCalm && prng.chance(share);
  const promised: Promised = unlessCalm(0.12) ? 'no exclusion' : 'all';
  const restartGuard = isCombination || (promised === 'all' && unlessCalm(0.25));
  const leaseMs = prng.pick(restartGuard ? [200, 600, 1_500] : [100, 300, 1_000, 3_000, 30_000]);
  const kinds = kindsFrom(prng);
  return {
    backend,
    nodes: isCombination ? prng.whole(3, 5) : 1,
    strategy: prng.chance(0.8) ? 'leftmost' : 'majority',
    contention: prng.chance(0.7) ? 'parallelFirst' : 'sequential',
    fencing: !isCombination || prng.chance(0.6),
    coldStart: 'wait',
    promised,
    isCalm,
    restartGuard,
    maxLeaseMs: restartGuard ? 1_500 : 30_000,
    leaseMs,
    processes: prng.whole(2, 4),
    tasks: prng.whole(1, 3),
    kinds: isCombination ? ['mutex'] : kinds,
    operationTimeoutMs: prng.pick([100, 300, 1_000]),
    quantumMs: prng.pick([0, 10, 10, 50]),
    waitMs: prng.pick([200, 1_000, 3_000]),
    holdMs: prng.pick([2, 10, 40]),
    thinkMs: prng.pick([5, 30, 100]),
    loadMs: loadFrom(prng, isCombination) + (restartGuard ? 1_500 : 0),
    drift: driftFrom(prng, promised),
    faults: isCalm ? 0 : prng.whole(1, 6),
    faultsOf: 'all',
    hiccupShare: unlessCalm(0.2) ? 0.001 : 0,
    longestHiccupMs: Math.min(leaseMs * 1.5, 500),
    permits: prng.whole(2, 4),
    interruptions: unlessCalm(0.2) ? 0.01 : 0,
    naps: 0,
    longestNapMs: Math.min(10 * leaseMs, LONGEST_NAP_MS),
  };
}

function kindsFrom(prng: Prng): readonly LockKindName[] {
  if (prng.chance(0.35)) return ['mutex'];
  return [...new Set([prng.pick(SHARED), prng.pick([...SHARED, 'mutex' as const])])];
}

function loadFrom(prng: Prng, isCombination: boolean): number {
  return isCombination ? prng.between(1_000, 2_500) : prng.between(1_500, 4_000);
}

function driftFrom(prng: Prng, promised: Promised): number {
  if (promised !== 'all') return prng.pick([0, 0.05]);
  return prng.chance(0.5) ? DRIFT_WITHIN : 0;
}
