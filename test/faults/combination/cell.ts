import { checkHistory, sharedNow } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { ContenderPool, type PoolJob } from './contender-pool.js';
import { SeededRandom } from './seeded-random.js';
import type { Fault, OutagePeriod } from './fault.js';
import { delay } from './delay.js';
import { remainingKeys, Deployment } from './deployment.js';
import { ForeignWriter } from './foreign-writer.js';
import { limitsFor, QUARANTINE_MS, type COMBINATION_OPTIONS } from './settings.js';
import { evaluate, type RunRecord, type RunResult } from './run-result.js';
import { targetsOf } from './targets.js';

/** Where processes contend for one lock. */
export interface CellPlan {
  readonly nodes: number;
  /** Arguments of the servers. */
  readonly args?: readonly string[] | undefined;
  /** Other rules than those that are kept, to see what they do. */
  readonly rules?: Partial<typeof COMBINATION_OPTIONS> | undefined;
}

/** How a fault is injected. */
export interface InjectionPlan {
  readonly fault: Fault;
  /** How often the fault is injected. */
  readonly injections: number;
  /** Leases that there must have been. */
  readonly cycles: number;
  readonly seed: number;
}

/** What came of one fault on so many nodes. */
export interface CellResult extends RunResult {
  readonly plan: InjectionPlan & CellPlan;
  readonly record: RunRecord;
}

const POLL_MS = 250;

/** Servers, and processes that contend for one lock on them while faults are injected. */
export class Cell {
  readonly #plan: CellPlan;
  readonly #deployment: Deployment;
  readonly #pool: ContenderPool;
  readonly #resource = `faults:${randomUUID()}`;
  readonly #foreignWriter = new ForeignWriter(this.#resource);
  readonly #outages: OutagePeriod[] = [];

  private constructor(plan: CellPlan, deployment: Deployment) {
    this.#plan = plan;
    this.#deployment = deployment;
    this.#pool = new ContenderPool(deployment, jobsFor(this.#resource), plan.rules);
  }

  static async open(plan: CellPlan): Promise<Cell> {
    const cell = new Cell(plan, await Deployment.open(plan.nodes, plan.args));
    try {
      await cell.#pool.waitForAll();
      return cell;
    } catch (error) {
      await cell.close();
      throw error;
    }
  }

  /** Injects a fault again and again, and checks what happened since the one before. */
  async inject(plan: InjectionPlan): Promise<CellResult> {
    const { fault, injections, cycles, seed } = plan;
    const [deployment, pool] = [this.#deployment, this.#pool];
    const [random, since] = [new SeededRandom(seed), sharedNow()];
    for (let round = 0; round < injections; round += 1) {
      const targets = targetsOf(fault, deployment.nodes, round, random);
      const outage = await fault.inject({ deployment, pool, targets, random, round });
      if (outage !== undefined) this.#outages.push(outage);
      if (fault.losesData === true) await delay(QUARANTINE_MS);
      await Promise.all([this.#foreignWriter.tryNode(random.oneOf(deployment.nodes)), pool.waitForAll()]);
    }
    while (pool.leases(since) < cycles) await delay(POLL_MS);
    // The whole history is checked, since a part of it might begin within a lease.
    const record = this.#record([]);
    const report = checkHistory(record.history.filter(({ at }) => at > since));
    return { plan: { ...this.#plan, ...plan }, ...evaluate(record), report, record };
  }

  /** Stops all contenders; returns the record of the run, including keys left behind. */
  async finish(): Promise<RunRecord> {
    await this.#pool.finish();
    return this.#record(await remainingKeys(this.#deployment, this.#resource));
  }

  async close(): Promise<void> {
    await this.#pool.close();
    await this.#deployment.close();
  }

  #record(left: readonly string[]): RunRecord {
    const history = [...this.#pool.history, ...this.#foreignWriter.events];
    return { history, outages: [...this.#outages], remainingKeys: left, limits: limitsFor(this.#plan.nodes) };
  }
}

/** One fault in a cell of its own, and what it leaves behind. */
export async function runCell({ nodes, rules, ...plan }: InjectionPlan & CellPlan): Promise<CellResult> {
  const cell = await Cell.open({ nodes, rules, args: plan.fault.args });
  try {
    const result = await cell.inject(plan);
    const record = await cell.finish();
    return { ...result, violations: evaluate(record).violations, record };
  } finally {
    await cell.close();
  }
}

/** Short holds by two processes, one of them behind the proxies; long ones, with renewals, by a third. */
function jobsFor(resource: string): PoolJob[] {
  const short = { resource, tasks: 2, bodyMs: [1, 10], sampleMs: 5, restMs: 5 } as const;
  return [short, short, { resource, bodyMs: [100, 1_200], sampleMs: 10, restMs: 200 }];
}
