import { FAIR_MUTEX, MUTEX, permits, READER, type Shape } from '../../../libs/lock/src/core/claim.js';
import type { HistoryEvent } from '../../../libs/testkit/src/history/history-event.js';
import { GuardedStore } from '../load/guarded-store.js';
import { NetworkPath } from '../network/network-path.js';
import { SimNode } from '../node/sim-node.js';
import type { Prng } from './prng.js';
import { scenarioOf, type LockKindName, type Scenario } from './scenario.js';
import { SimProcess } from './sim-process.js';
import type { World } from './world.js';

/** Machines, servers and the network between them, with all that happens on them. */
export class SimSystem {
  readonly prng: Prng;
  readonly scenario: Scenario;
  readonly nodes: readonly SimNode[];
  readonly history: HistoryEvent[] = [];
  readonly store: GuardedStore;
  readonly #paths = new Map<string, NetworkPath>();
  /** No process was killed or closed amid faults, and nothing was lost: every grant must have been given back. */
  isTidy = true;
  /** When processes were killed. */
  readonly deaths = new Map<string, number>();
  /** When processes had come to their end in good order. */
  readonly closings = new Map<string, number>();
  /** Times in which no caller can expect to be served. */
  readonly disruptions: { readonly from: number; readonly to: number }[] = [];
  /** What was wrong and is in no history. */
  readonly problems: string[] = [];

  constructor(
    readonly world: World,
    overrides: Partial<Scenario>,
  ) {
    this.prng = world.prng.fork();
    this.scenario = { ...scenarioOf(world.seed, world.prng.fork(), overrides.backend), ...overrides };
    this.store = new GuardedStore(world);
    const interrupted = { share: this.scenario.interruptions, longestMs: 20 };
    const names = Array.from({ length: this.scenario.nodes }, (_, i) => `n${i + 1}`);
    this.nodes = names.map((name) => new SimNode(world, name, this.#rate(), interrupted));
  }

  /** Something goes wrong, and its consequences last so long, ms. */
  recordDisruption(ms: number): void {
    const { now } = this.world;
    this.disruptions.push({ from: now, to: now + ms });
  }

  /** The ids of all processes so far. */
  readonly processIds: string[] = [];

  processStarted(processId: string): void {
    this.processIds.push(processId);
  }

  /** What a claim of this kind asks for. */
  shapeOf(kind: LockKindName): Shape {
    const { permits: count } = this.scenario;
    return { mutex: MUTEX, fairMutex: FAIR_MUTEX, readWriteLock: READER, semaphore: permits(1, count) }[kind];
  }

  process(name: string): SimProcess {
    const { hiccupShare, longestHiccupMs } = this.scenario;
    const settings = { rate: this.#rate(), hiccupShare, longestHiccupMs };
    return new SimProcess(this.world, name, settings, (at, lateMs) => {
      this.history.push({ at, process: name, kind: 'stalled', resource: '', lateMs });
    });
  }

  path(machine: number, node: SimNode): NetworkPath {
    const key = `${machine} ${node.name}`;
    let path = this.#paths.get(key);
    if (path === undefined) {
      const { isCalm } = this.scenario;
      const slowShare = isCalm ? 0 : this.prng.pick([0, 0.002, 0.02]);
      const meanJitterMs = this.prng.pick([0.05, 0.2, 1]);
      path = new NetworkPath(this.world, { leastMs: 0.1, meanJitterMs, slowShare, slowestMs: 300 });
      this.#paths.set(key, path);
    }
    return path;
  }

  get paths(): readonly NetworkPath[] {
    return [...this.#paths.values()];
  }

  #rate(): number {
    return 1 + this.prng.between(-1, 1) * this.scenario.drift;
  }
}
