import { startProxy } from 'bedrock-servers';
import type { HistoryEvent } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { pass } from '../combination/pass.js';
import { judge, type Verdict } from '../combination/verdict.js';
import { Crew } from './crew.js';
import type { Fault } from './fault.js';
import type { Ground } from './ground.js';
import { oneLong } from './jobs.js';
import { longestGap } from './longest-gap.js';
import { boundsFor, MAX_LEASE_MS, OPERATION_MS } from './terms.js';

export interface CellPlan<G extends Ground> {
  readonly ground: G;
  readonly fault: Fault<G>;
  /** How often the fault strikes. */
  readonly injections: number;
  /** Above 1, holders believe in longer leases than they have, to see what that does. @default 1 */
  readonly overstated?: number;
}

/** What came of one fault. */
export interface CellResult extends Verdict {
  readonly fault: string;
  readonly injections: number;
  readonly history: readonly HistoryEvent[];
  /** The longest time in which nobody held, ms. */
  readonly gapMs: number;
}

const BREATH_MS = 100;
/** Leases of processes are over, and what they left has been swept. */
const GONE_WITHIN_MS = MAX_LEASE_MS + 1_000;

/** Lets a fault strike again and again while processes contend for a lock, and judges what they tell. */
export async function runCell<G extends Ground>(plan: CellPlan<G>): Promise<CellResult> {
  const { ground, fault, injections, overstated = 1 } = plan;
  const { operationMs = OPERATION_MS } = fault;
  const resource = `faults:${randomUUID()}`;
  const whole = await ground.victim();
  const proxy = await startProxy(whole.port);
  const ways = [proxy.port, whole.port].map((port) => ({
    ...ground.where(port),
    ...{ operationTimeoutMs: operationMs, maxLeaseMs: MAX_LEASE_MS, ...fault.options },
  })) as [object, object];
  const jobs = (fault.jobs ?? oneLong)(resource);
  const crew = new Crew({ engine: ground.engine, ways, jobs, overstated });
  try {
    await crew.allHold();
    for (let strikes = 0; strikes < injections; strikes += 1) {
      const server = await ground.victim();
      const holder = crew.members.at(-1)!;
      await crew.holds(holder);
      await fault.strike({ ground, crew, resource, proxy, server, holder, strikes });
      await pass(BREATH_MS);
      await crew.allHold();
    }
    await crew.finish();
    const left = await leftAtLast(ground, resource);
    const { history } = crew;
    const verdict = judge({ history, left, bounds: boundsFor(operationMs) });
    return { fault: fault.name, injections, history, gapMs: longestGap(history), ...verdict };
  } finally {
    await crew.close();
    await proxy.stop();
  }
}

async function leftAtLast(ground: Ground, resource: string): Promise<string[]> {
  const endsAt = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const left = await ground.leftovers(resource);
    if (left.length === 0 || performance.now() > endsAt) return left;
    await pass(50);
  }
}
