import { combination } from '../../../libs/lock/src/backends/combination/combination-backend.js';
import { RedisBackend } from '../../../libs/lock/src/backends/redis/redis-backend.js';
import { resolveRedisOptions } from '../../../libs/lock/src/backends/redis/configuration/redis-options.js';
import { Bedrock } from '../../../libs/lock/src/bedrock.js';
import type { Backend } from '../../../libs/lock/src/core/ports/ports.js';
import { simLinks } from '../network/sim-link.js';
import type { SimNode } from '../node/sim-node.js';
import type { SimProcess } from '../world/sim-process.js';
import type { Site } from '../world/site.js';
import { Locks } from './locks.js';
import { Patience } from './patience.js';
import { Scribe } from './scribe.js';

/** One process of the application, from its start to its end. */
export class Client {
  readonly bedrock: Bedrock;
  readonly backend: Backend;
  readonly scribe: Scribe;
  readonly patience: Patience;
  readonly locks: Locks;
  /** Tasks that have not come to their end. */
  busy = 0;
  isClosing = false;
  hasClosed = false;

  constructor(
    readonly site: Site,
    readonly process: SimProcess,
    /** Processes that live on one machine, one after the other, have the same ways to the servers. */
    readonly machine: number,
  ) {
    const { scenario, history } = site;
    const { leaseMs, quantumMs, waitMs } = scenario;
    this.scribe = new Scribe(process, history);
    this.patience = new Patience(process, (text) => this.complain(text));
    this.backend = this.#backend();
    const defaults = { leaseMs, waitMs };
    this.bedrock = new Bedrock({
      backend: this.backend,
      clock: process,
      defaults,
      handOver: { quantumMs },
    });
    this.scribe.follow(this.bedrock);
    this.locks = new Locks(this.bedrock, scenario);
  }

  complain(text: string): void {
    this.site.complaints.push(`${this.process.name} at ${this.process.time.toFixed(3)}: ${text}`);
  }

  /** Ends in good order. */
  async close(graceMs: number): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    this.process.tell(() => `closes, with ${graceMs} ms of grace`);
    await this.bedrock.close({ graceMs });
    this.hasClosed = true;
    this.site.closings.set(this.process.name, this.site.world.now);
    this.process.tell(() => 'has closed');
  }

  #backend(): Backend {
    const { site, process } = this;
    const { backend, strategy, contention, fencing, maxLeaseMs, coldStart } = site.scenario;
    const nodes = site.nodes.map((node) => this.#node(node));
    if (backend === 'single') return nodes[0]!;
    const probe = { firstMs: 50, lastMs: 400 };
    const terms = { strategy, contention, fencing, maxLeaseMs, coldStart };
    return combination({ nodes, ...terms, probe, clock: process });
  }

  #node(node: SimNode): Backend {
    const { site, process, machine } = this;
    const { operationTimeoutMs, maxLeaseMs, restartGuard } = site.scenario;
    const nature = { forgetsLost: site.prng.chance(0.3) };
    const links = simLinks(process, node, site.path(machine, node), nature);
    const terms = { operationTimeoutMs, maxLeaseMs, restartGuard, clock: process };
    return new RedisBackend({ ...resolveRedisOptions({ url: `redis://${node.name}`, ...terms }), links });
  }
}
