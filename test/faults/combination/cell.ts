import type { HistoryEvent } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { Crew, type CrewJob } from './crew.js';
import { Dice } from './dice.js';
import type { Fault, Silence } from './fault.js';
import { pass } from './pass.js';
import { leftAtLast, Site } from './site.js';
import { Stranger } from './stranger.js';
import { boundsFor, QUARANTINE_MS, type RULES } from './terms.js';
import { judge, type Verdict } from './verdict.js';
import { victimsOf } from './victims.js';

export interface CellPlan {
  readonly fault: Fault;
  readonly nodes: number;
  /** How often the fault strikes. */
  readonly injections: number;
  /** Leases that there must have been. */
  readonly cycles: number;
  readonly seed: number;
  /** Other rules than those that are kept, to see what they do. */
  readonly rules?: Partial<typeof RULES>;
}

/** What came of one fault on so many nodes. */
export interface CellResult extends Verdict {
  readonly plan: CellPlan;
  readonly history: readonly HistoryEvent[];
}

const BREATH_MS = 150;
const MORE_MS = 250;

/** Lets a fault strike again and again while processes contend for a lock, and judges what they tell. */
export async function runCell(plan: CellPlan): Promise<CellResult> {
  const { fault, nodes, injections, cycles, seed, rules } = plan;
  const dice = new Dice(seed);
  const resource = `faults:${randomUUID()}`;
  const stranger = new Stranger(resource);
  const site = await Site.open(nodes, fault.args);
  let crew: Crew | undefined;
  try {
    crew = new Crew(site, jobsFor(resource), rules);
    await crew.allHold();
    const silences: Silence[] = [];
    for (let strikes = 0; strikes < injections; strikes += 1) {
      const victims = victimsOf(fault, site.nodes, strikes, dice);
      const silence = await fault.strike({ site, crew, victims, dice, strikes });
      if (silence !== undefined) silences.push(silence);
      await pass(fault.losesData === true ? QUARANTINE_MS : BREATH_MS);
      await stranger.meddle(dice.oneOf(site.nodes));
      await crew.allHold();
    }
    while (crew.cycles < cycles) await pass(MORE_MS);
    await crew.finish();
    const left = await leftAtLast(site, resource);
    const history = [...crew.history, ...stranger.events];
    return { plan, history, ...judge({ history, silences, left, bounds: boundsFor(nodes) }) };
  } finally {
    await crew?.close();
    await site.close();
  }
}

/** Short holds by two processes, one of them behind the proxies; long ones, with renewals, by a third. */
function jobsFor(resource: string): CrewJob[] {
  const short = { resource, tasks: 2, bodyMs: [1, 10], sampleMs: 5, restMs: 5 } as const;
  return [short, short, { resource, bodyMs: [100, 1_200], sampleMs: 10, restMs: 200 }];
}
