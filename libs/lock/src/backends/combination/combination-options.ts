import { checkBoolean, checkClock, checkFields, checkOneOf, checkWhole } from '../../core/checks.js';
import { MAX_TIMER_MS, systemClock, type Clock } from '../../core/clock.js';
import { InvalidOptionError } from '../../core/errors.js';
import type { Backend } from '../../core/ports/ports.js';

/** Retries of nodes that did not answer. */
export interface ProbeOptions {
  /** First pause, in ms; it doubles each time. @default 50 */
  readonly firstMs?: number;
  /** Longest pause, in ms. @default 15000 */
  readonly lastMs?: number;
}

export interface CombinationOptions {
  /**
   * Independent servers, without replication between them: backends made by `redis()`, which are
   * only read. Every process that shares the locks must list the same nodes; their ids define the
   * order.
   */
  readonly nodes: readonly Backend[];
  /** How many nodes must grant a lock. @default the majority: 2 of 3, 3 of 5 */
  readonly minNodes?: number;
  /**
   * Allows a `minNodes` below the majority. Requests that time out can then make two holders.
   * @default false
   */
  readonly unsafeMinNodes?: boolean;
  /**
   * `leftmost`: a refusal by any reachable node ends the attempt, and all reachable nodes must
   * grant. `majority`: Redlock. All nodes are asked at once, and the majority decides, whatever the
   * others answer. @default 'leftmost'
   */
  readonly strategy?: 'leftmost' | 'majority';
  /**
   * `parallelFirst`: asks all nodes at once if no other caller was in the way lately, else in turn.
   * A caller that does not wait always asks in turn. `sequential`: always in turn, from left to
   * right. @default 'parallelFirst'
   */
  readonly contention?: 'parallelFirst' | 'sequential';
  /** Longest call to a node, in ms; a node that takes longer counts as unavailable. @default 50 */
  readonly nodeTimeoutMs?: number;
  /**
   * Share of one node in `attemptTimeoutMs`, in ms; used only to compute it. @default nodeTimeoutMs
   */
  readonly singleLockOperationMs?: number;
  /** An attempt that takes longer fails, in ms. @default singleLockOperationMs * nodes + 100 */
  readonly attemptTimeoutMs?: number;
  /** When unavailable nodes are tried again. */
  readonly probe?: ProbeOptions;
  /** Fencing tokens, which cost one more round trip. @default false */
  readonly fencing?: boolean;
  /**
   * Longest lease, in ms; the same in all processes. A node that restarted or lost its data grants
   * nothing for this long. @default 30000
   */
  readonly maxLeaseMs?: number;
  /**
   * For a node that never served locks: `wait` for `maxLeaseMs` too, or `trust` that no lock is in
   * use. @default 'wait'
   */
  readonly coldStart?: 'wait' | 'trust';
  /** @default the system clock */
  readonly clock?: Clock;
}

/** The checked options. */
export interface CombinationSettings {
  readonly nodes: readonly Backend[];
  readonly minNodes: number;
  readonly isUnsafe: boolean;
  readonly strategy: 'leftmost' | 'majority';
  readonly contention: 'parallelFirst' | 'sequential';
  readonly nodeTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  readonly probe: Required<ProbeOptions>;
  readonly fencing: boolean;
  readonly maxLeaseMs: number;
  readonly coldStart: 'wait' | 'trust';
  readonly clock: Clock;
}

const FIELDS: ReadonlySet<string> = new Set<keyof CombinationOptions>([
  'nodes', 'minNodes', 'unsafeMinNodes', 'strategy', 'contention', 'nodeTimeoutMs', 'singleLockOperationMs',
  'attemptTimeoutMs', 'probe', 'fencing', 'maxLeaseMs', 'coldStart', 'clock',
]); // prettier-ignore
const PROBE_FIELDS: ReadonlySet<string> = new Set<keyof ProbeOptions>(['firstMs', 'lastMs']);
const MAX_NODES = 31;
/** Shortest lease, in ms: a few round trips to each node must take only a small part of it. */
export const MIN_LEASE_MS = 100;
/** Time of an attempt beside its nodes, in ms; the figure of the original specification. */
const ATTEMPT_EXTRA_MS = 100;

/**
 * Checks the options of `combination()` without connecting. @throws InvalidOptionError naming the
 * field
 */
export function resolveCombinationOptions(options: CombinationOptions): CombinationSettings {
  checkFields('options', options, FIELDS);
  const { nodes, unsafeMinNodes = false, strategy = 'leftmost', contention = 'parallelFirst' } = options;
  const { nodeTimeoutMs = 50, fencing = false, maxLeaseMs = 30_000, coldStart = 'wait' } = options;
  const { clock = systemClock, probe = {} } = options;
  if (!Array.isArray(nodes)) throw new InvalidOptionError('nodes', 'an array of backends', nodes);
  if (!(nodes.length >= 2 && nodes.length <= MAX_NODES))
    throw new InvalidOptionError('nodes', `2 to ${MAX_NODES} backends`, nodes.length);
  nodes.forEach((node: Partial<Backend> | undefined, i) => {
    if (typeof node?.asNode !== 'function')
      throw new InvalidOptionError(`nodes[${i}]`, 'a backend for one server, such as redis(url)', node);
  });
  const majority = Math.floor(nodes.length / 2) + 1;
  const { minNodes = majority } = options;
  checkBoolean('unsafeMinNodes', unsafeMinNodes);
  checkWhole('minNodes', minNodes, 1, nodes.length);
  if (minNodes < majority && !unsafeMinNodes) {
    const what = `at least ${majority}, the majority of ${nodes.length} nodes, or allowed by unsafeMinNodes`;
    throw new InvalidOptionError('minNodes', what, minNodes);
  }
  checkOneOf('strategy', strategy, ['leftmost', 'majority']);
  checkOneOf('contention', contention, ['parallelFirst', 'sequential']);
  checkOneOf('coldStart', coldStart, ['wait', 'trust']);
  checkWhole('nodeTimeoutMs', nodeTimeoutMs, 5, 60_000);
  const { singleLockOperationMs = nodeTimeoutMs } = options;
  checkWhole('singleLockOperationMs', singleLockOperationMs, 1, 60_000);
  const { attemptTimeoutMs = singleLockOperationMs * nodes.length + ATTEMPT_EXTRA_MS } = options;
  return Object.freeze({
    nodes: [...(nodes as readonly Backend[])],
    minNodes,
    isUnsafe: minNodes < majority,
    strategy,
    contention,
    nodeTimeoutMs,
    attemptTimeoutMs: checkWhole('attemptTimeoutMs', attemptTimeoutMs, 10, 600_000),
    probe: resolveProbe(probe),
    fencing: checkBoolean('fencing', fencing),
    maxLeaseMs: checkWhole('maxLeaseMs', maxLeaseMs, MIN_LEASE_MS, MAX_TIMER_MS),
    coldStart,
    clock: checkClock('clock', clock),
  });
}

function resolveProbe(probe: ProbeOptions): Required<ProbeOptions> {
  checkFields('probe', probe, PROBE_FIELDS);
  const { firstMs = 50, lastMs = 15_000 } = probe;
  checkWhole('probe.firstMs', firstMs, 1, MAX_TIMER_MS);
  // The original specification retries a node every 15 minutes: there, first and last are equal.
  return Object.freeze({ firstMs, lastMs: checkWhole('probe.lastMs', lastMs, firstMs, MAX_TIMER_MS) });
}
