import { combination } from '../../../libs/lock/src/backends/combination/combination-backend.js';
import { RedisBackend } from '../../../libs/lock/src/backends/redis/redis-backend.js';
import { resolveRedisOptions } from '../../../libs/lock/src/backends/redis/configuration/redis-options.js';
import { Bedrock } from '../../../libs/lock/src/bedrock.js';
import type { Backend } from '../../../libs/lock/src/core/ports/ports.js';
import { simLinks } from '../network/sim-link.js';
import type { SimNode } from '../node/sim-node.js';
import type { SimProcess } from '../world/sim-process.js';
import type { SimSystem } from '../world/sim-system.js';
import { Locks } from './locks.js';
import { SettlementTracker } from './settlement-tracker.js';
import { SimRecorder } from './sim-recorder.js';

/** One process of the application, from its start to its end. */
export class SimClient {
  readonly bedrock: Bedrock;
  readonly backend: Backend;
  readonly recorder: SimRecorder;
  readonly settlements: SettlementTracker;
  readonly locks: Locks;
  /** Tasks that have not come to their end. */
  busy = 0;
  isClosing = false;
  hasClosed = false;

  constructor(
    readonly system: SimSystem,
    readonly process: SimProcess,
    /** Processes that live on one machine, one after the other, have the same network paths to the servers. */
    readonly machine: number,
  ) {
    const { scenario, history } = system;
    const { leaseMs, quantumMs, waitMs } = scenario;
    this.recorder = new SimRecorder(process, history);
    this.settlements = new SettlementTracker(process, (text) => this.reportProblem(text));
    this.backend = this.#backend();
    const defaults = { leaseMs, waitMs };
    this.bedrock = new Bedrock({
      backend: this.backend,
      clock: process,
      defaults,
      handOver: { quantumMs },
    });
    this.recorder.follow(this.bedrock);
    this.locks = new Locks(this.bedrock, scenario);
  }

  reportProblem(text: string): void {
    this.system.problems.push(`${this.process.name} at ${this.process.time.toFixed(3)}: ${text}`);
  }

  /** Ends in good order. */
  async close(graceMs: number): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    this.process.tell(() => `closes, with ${graceMs} ms of grace`);
    await this.bedrock.close({ graceMs });
    this.hasClosed = true;
    this.system.closings.set(this.process.name, this.system.world.now);
    this.process.tell(() => 'has closed');
  }

  #backend(): Backend {
    const { system, process } = this;
    const { backend, strategy, contention, fencing, maxLeaseMs, coldStart } = system.scenario;
    const nodes = system.nodes.map((node) => this.#node(node));
    if (backend === 'single') return nodes[0]!;
    const probe = { firstMs: 50, lastMs: 400 };
    const options = { strategy, contention, fencing, maxLeaseMs, coldStart };
    return combination({ nodes, ...options, probe, clock: process });
  }

  #node(node: SimNode): Backend {
    const { system, process, machine } = this;
    const { operationTimeoutMs, maxLeaseMs, restartGuard } = system.scenario;
    const settings = { forgetsLost: system.prng.chance(0.3) };
    const links = simLinks(process, node, system.path(machine, node), settings);
    const options = { operationTimeoutMs, maxLeaseMs, restartGuard, clock: process };
    return new RedisBackend({ ...resolveRedisOptions({ url: `redis://${node.name}`, ...options }), links });
  }
}
