import { redisCommand, startRedis, type RunningServer } from 'bedrock-servers';
import { randomUUID } from 'node:crypto';
import { ContenderPool } from './contender-pool.js';
import { SeededRandom } from './seeded-random.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults.js';
import { delay } from './delay.js';
import { remainingKeys, Deployment } from './deployment.js';
import { limitsFor, QUARANTINE_MS, type COMBINATION_OPTIONS } from './settings.js';
import { evaluate, type RunRecord } from './run-result.js';
import { targetsOf } from './targets.js';

export interface SoakPlan {
  readonly minutes: number;
  readonly nodes: number;
  readonly processes: number;
  readonly keys: number;
  readonly seed: number;
  /** The next fault comes so long after the one before, ms. @default 2000 to 4000 */
  readonly gapMs?: readonly [least: number, most: number];
  /** Other rules than those that are kept, to see what they do. */
  readonly rules?: Partial<typeof COMBINATION_OPTIONS>;
  log(line: string): void;
}

export interface SoakResult {
  readonly faults: number;
  readonly leases: number;
  readonly lost: number;
  readonly increments: number;
  readonly violations: readonly string[];
  readonly record: RunRecord;
}

const GAP_MS = [2_000, 4_000] as const;
const PROGRESS_MS = 10_000;
const BODY = { module: new URL('guarded-counter.mjs', import.meta.url).href, factory: 'guardedCounter' };
/** What needs no servers of its own kind. */
const FAULTS_ON_ANY_SERVER = FAULTS.filter(({ args }) => args === undefined);

/** Processes count under locks, in a store apart, while one fault after the other is injected; the counters are exact at the end. */
export async function soak(plan: SoakPlan): Promise<SoakResult> {
  const { nodes, processes, keys, minutes, rules, log } = plan;
  const run = randomUUID().slice(0, 8);
  const resources = Array.from({ length: keys }, (_, i) => `soak:${run}:${i + 1}`);
  const store = await startRedis();
  const deployment = await Deployment.open(nodes);
  const body = { ...BODY, args: [store.url] };
  const job = { resource: resources[0]!, resources, tasks: 2, restMs: 10, body };
  const pool = new ContenderPool(
    deployment,
    Array.from({ length: processes }, () => job),
    rules,
  );
  let begunAt = performance.now();
  let faults = 0;
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    log(`${seconds} s: ${faults} faults, ${pool.leases()} leases`);
  }, PROGRESS_MS);
  const others: string[] = [];
  const remaining: string[] = [];
  try {
    await pool.waitForAll();
    // How long the processes take to start depends on the machine.
    begunAt = performance.now();
    for await (const fault of injectFaults(plan, deployment, pool, begunAt + minutes * 60_000)) {
      faults += 1;
      log(`  ${fault.name}`);
    }
    await pool.finish();
    remaining.push(...(await remainingKeys(deployment, `soak:${run}:`)));
  } catch (error) {
    others.push(`it broke off: ${(error as Error).message}`);
  } finally {
    clearInterval(progress);
    await pool.close();
    await deployment.close();
  }
  others.push(...pool.failures);
  const counted = await Promise.all(resources.map((resource) => countOf(store, resource)));
  await store.stop();
  for (const { resource, value, writes } of counted)
    if (value !== writes) others.push(`counter: "${resource}" is ${value} after ${writes} increments`);
  const record = { history: pool.history, remainingKeys: remaining, others, limits: limitsFor(nodes) };
  const { violations, report } = evaluate(record);
  const { leases, lost } = report;
  const increments = counted.reduce((sum, { writes }) => sum + writes, 0);
  return { faults, leases, lost, increments, violations, record };
}

/**
 * One fault after the other, in the order of the seed; reports each when it is over and every contender is served
 * again.
 */
async function* injectFaults(
  plan: SoakPlan,
  deployment: Deployment,
  pool: ContenderPool,
  endsAt: number,
): AsyncGenerator<Fault> {
  const { seed, gapMs = GAP_MS } = plan;
  const random = new SeededRandom(seed);
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const nextAt = performance.now() + random.between(...gapMs);
    const fault = random.oneOf(FAULTS_ON_ANY_SERVER);
    const targets = targetsOf(fault, deployment.nodes, count, random);
    await fault.inject({ deployment, pool, targets, random, round: count });
    if (fault.losesData === true) await delay(QUARANTINE_MS);
    await pool.waitForAll();
    yield fault;
    await delay(Math.max(0, Math.min(nextAt, endsAt) - performance.now()));
  }
}

interface Count {
  readonly resource: string;
  readonly value: number;
  readonly writes: number;
}

async function countOf(store: RunningServer, resource: string): Promise<Count> {
  const answers = (await redisCommand(store, 'HMGET', resource, 'value', 'writes')) as (string | null)[];
  const [value, writes] = answers.map(Number);
  return { resource, value: value!, writes: writes! };
}
