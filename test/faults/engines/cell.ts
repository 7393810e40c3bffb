import { startProxy } from 'bedrock-servers';
import { randomUUID } from 'node:crypto';
import { pass } from '../combination/pass.js';
import { judge, type Evidence, type Verdict } from '../combination/verdict.js';
import { Crew } from './crew.js';
import type { Fault } from './fault.js';
import type { Ground } from './ground.js';
import { oneLong } from './jobs.js';
import { longestGap } from './longest-gap.js';
import { boundsFor, LEASE_MS, maxLeaseFor, OPERATION_MS } from './terms.js';

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
  readonly evidence: Evidence;
  /** The longest time in which nobody held, ms. */
  readonly gapMs: number;
}

const BREATH_MS = 100;
/** What processes left is swept so long after the end of the longest lease. */
const SWEPT_WITHIN_MS = 1_000;

/** Lets a fault strike again and again while processes contend for a lock, and judges what they tell. */
export async function runCell<G extends Ground>(plan: CellPlan<G>): Promise<CellResult> {
  const { ground, fault, injections, overstated = 1 } = plan;
  const { operationMs = OPERATION_MS, leaseMs = LEASE_MS } = fault;
  const maxLeaseMs = maxLeaseFor(leaseMs);
  const resource = `faults:${randomUUID()}`;
  const whole = await ground.victim();
  const proxy = await startProxy(whole.port);
  const ways = [proxy.port, whole.port].map((port) => ({
    ...ground.where(port),
    ...{ operationTimeoutMs: operationMs, maxLeaseMs, ...fault.options },
  })) as [object, object];
  const jobs = (fault.jobs ?? oneLong)(resource, leaseMs);
  const crew = new Crew({ engine: ground.engine, ways, jobs, leaseMs, overstated });
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
    const left = await leftAtLast(ground, resource, maxLeaseMs + SWEPT_WITHIN_MS);
    const evidence = { history: crew.history, left, bounds: boundsFor(operationMs) };
    const gapMs = longestGap(evidence.history);
    return { fault: fault.name, injections, evidence, gapMs, ...judge(evidence) };
  } finally {
    await crew.close();
    await proxy.stop();
  }
}

async function leftAtLast(ground: Ground, resource: string, withinMs: number): Promise<string[]> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const left = await ground.leftovers(resource);
    if (left.length === 0 || performance.now() > endsAt) return left;
    await pass(50);
  }
}
