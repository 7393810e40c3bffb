import { checkHistory, sharedNow } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { Crew, type CrewJob } from './crew.js';
import { Dice } from './dice.js';
import type { Fault, Silence } from './fault.js';
import { pass } from './pass.js';
import { leftAtLast, Site } from './site.js';
import { Stranger } from './stranger.js';
import { boundsFor, QUARANTINE_MS, type RULES } from './terms.js';
import { judge, type Evidence, type Verdict } from './verdict.js';
import { victimsOf } from './victims.js';

/** Where processes contend for one lock. */
export interface CellPlan {
  readonly nodes: number;
  /** Arguments of the servers. */
  readonly args?: readonly string[] | undefined;
  /** Other rules than those that are kept, to see what they do. */
  readonly rules?: Partial<typeof RULES> | undefined;
}

/** How a fault strikes. */
export interface StrikePlan {
  readonly fault: Fault;
  /** How often the fault strikes. */
  readonly injections: number;
  /** Leases that there must have been. */
  readonly cycles: number;
  readonly seed: number;
}

/** What came of one fault on so many nodes. */
export interface CellResult extends Verdict {
  readonly plan: StrikePlan & CellPlan;
  readonly evidence: Evidence;
}

const MORE_MS = 250;

/** Servers, and processes that contend for one lock on them while faults strike. */
export class Cell {
  readonly #plan: CellPlan;
  readonly #site: Site;
  readonly #crew: Crew;
  readonly #resource = `faults:${randomUUID()}`;
  readonly #stranger = new Stranger(this.#resource);
  readonly #silences: Silence[] = [];

  private constructor(plan: CellPlan, site: Site) {
    this.#plan = plan;
    this.#site = site;
    this.#crew = new Crew(site, jobsFor(this.#resource), plan.rules);
  }

  static async open(plan: CellPlan): Promise<Cell> {
    const cell = new Cell(plan, await Site.open(plan.nodes, plan.args));
    try {
      await cell.#crew.allHold();
      return cell;
    } catch (error) {
      await cell.close();
      throw error;
    }
  }

  /** Lets a fault strike again and again, and judges what happened since the one before. */
  async strike(plan: StrikePlan): Promise<CellResult> {
    const { fault, injections, cycles, seed } = plan;
    const [site, crew] = [this.#site, this.#crew];
    const [dice, since] = [new Dice(seed), sharedNow()];
    for (let strikes = 0; strikes < injections; strikes += 1) {
      const victims = victimsOf(fault, site.nodes, strikes, dice);
      const silence = await fault.strike({ site, crew, victims, dice, strikes });
      if (silence !== undefined) this.#silences.push(silence);
      if (fault.losesData === true) await pass(QUARANTINE_MS);
      await Promise.all([this.#stranger.meddle(dice.oneOf(site.nodes)), crew.allHold()]);
    }
    while (crew.leases(since) < cycles) await pass(MORE_MS);
    // The whole history is judged, since a part of it might begin within a lease.
    const evidence = this.#evidence([]);
    const report = checkHistory(evidence.history.filter(({ at }) => at > since));
    return { plan: { ...this.#plan, ...plan }, ...judge(evidence), report, evidence };
  }

  /** All stop; gives what is known then, keys that are left behind included. */
  async finish(): Promise<Evidence> {
    await this.#crew.finish();
    return this.#evidence(await leftAtLast(this.#site, this.#resource));
  }

  async close(): Promise<void> {
    await this.#crew.close();
    await this.#site.close();
  }

  #evidence(left: readonly string[]): Evidence {
    const history = [...this.#crew.history, ...this.#stranger.events];
    return { history, silences: [...this.#silences], left, bounds: boundsFor(this.#plan.nodes) };
  }
}

/** One fault in a cell of its own, and what it leaves behind. */
export async function runCell({ nodes, rules, ...plan }: StrikePlan & CellPlan): Promise<CellResult> {
  const cell = await Cell.open({ nodes, rules, args: plan.fault.args });
  try {
    const result = await cell.strike(plan);
    const evidence = await cell.finish();
    return { ...result, violations: judge(evidence).violations, evidence };
  } finally {
    await cell.close();
  }
}

/** Short holds by two processes, one of them behind the proxies; long ones, with renewals, by a third. */
function jobsFor(resource: string): CrewJob[] {
  const short = { resource, tasks: 2, bodyMs: [1, 10], sampleMs: 5, restMs: 5 } as const;
  return [short, short, { resource, bodyMs: [100, 1_200], sampleMs: 10, restMs: 200 }];
}
