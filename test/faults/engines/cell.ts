import { startProxy } from 'bedrock-servers';
import { checkHistory } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import { delay } from '../combination/delay.js';
import { evaluate, type RunRecord, type RunResult } from '../combination/run-result.js';
import { ContenderPool } from './contender-pool.js';
import type { Fault } from './fault.js';
import type { EngineFixture } from './engine-fixture.js';
import { oneLong } from './jobs.js';
import { longestGap } from './longest-gap.js';
import { limitsFor, LEASE_MS, maxLeaseFor, OPERATION_MS } from './settings.js';

export interface CellPlan<G extends EngineFixture> {
  readonly fixture: G;
  readonly fault: Fault<G>;
  /** How often the fault strikes. */
  readonly injections: number;
  /** Above 1, holders believe in longer leases than they have, to see what that does. @default 1 */
  readonly overstated?: number;
}

/** What came of one fault. */
export interface CellResult extends RunResult {
  readonly fault: string;
  readonly injections: number;
  readonly record: RunRecord;
  /** The longest time without a holder, in ms. */
  readonly gapMs: number;
}

const PAUSE_MS = 100;
/** A fault may strike too late in a hold to be felt: then it strikes again, at most so often. */
const MORE_STRIKES = 4;
/** What processes left is swept so long after the end of the longest lease. */
const SWEPT_WITHIN_MS = 1_000;

/** Lets a fault strike again and again while processes contend for a lock, and judges what they tell. */
export async function runCell<G extends EngineFixture>(plan: CellPlan<G>): Promise<CellResult> {
  const { fixture, fault, injections, overstated = 1 } = plan;
  const { operationMs = OPERATION_MS, leaseMs = LEASE_MS, waitMs } = fault;
  const maxLeaseMs = maxLeaseFor(leaseMs);
  const resource = `faults:${randomUUID()}`;
  const firstTarget = await fixture.target();
  const proxy = await startProxy(firstTarget.port);
  const backendOptions = [proxy.port, firstTarget.port].map((port) => ({
    ...fixture.optionsFor(port),
    ...{ operationTimeoutMs: operationMs, maxLeaseMs, ...fault.options },
  })) as [object, object];
  const jobs = (fault.jobs ?? oneLong)(resource, leaseMs);
  const { engine } = fixture;
  const pool = new ContenderPool({ engine, backendOptions, jobs, leaseMs, waitMs, overstated });
  try {
    await pool.waitForAll();
    const most = injections + MORE_STRIKES;
    let round = 0;
    const isUnseen = (): boolean => (overstated > 1 ? !hasTwoHolders(pool) : isUnfelt(fault, pool));
    for (; round < injections || (round < most && isUnseen()); round += 1) {
      const server = await fixture.target();
      const holder = pool.processes.at(-1)!;
      await pool.waitForLock(holder);
      await fault.inject({ fixture, pool, resource, proxy, server, holder, round });
      await delay(PAUSE_MS);
      await pool.waitForAll();
    }
    await pool.finish();
    const left = await remainingAtEnd(fixture, resource, maxLeaseMs + SWEPT_WITHIN_MS);
    const record = { history: pool.history, remainingKeys: left, limits: limitsFor(operationMs) };
    const gapMs = longestGap(record.history);
    return { fault: fault.name, injections: round, record, gapMs, ...evaluate(record) };
  } finally {
    await pool.close();
    await proxy.stop();
  }
}

/** The effect that the fault must have is not in the history yet. */
function isUnfelt({ brings }: Fault<never>, { history }: ContenderPool): boolean {
  if (brings === 'losses') return !history.some(({ kind }) => kind === 'lost');
  return brings === 'losses or failures' && !history.some(({ kind }) => kind === 'lost' || kind === 'failed');
}

function hasTwoHolders({ history }: ContenderPool): boolean {
  return checkHistory(history).violations.some(({ invariant }) => invariant === 'I1');
}

async function remainingAtEnd(fixture: EngineFixture, resource: string, withinMs: number): Promise<string[]> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const remaining = await fixture.remaining(resource);
    if (remaining.length === 0 || performance.now() > endsAt) return remaining;
    await delay(50);
  }
}
