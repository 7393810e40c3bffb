import { redisCommand, startRedis, type RunningServer } from 'bedrock-servers';
import { randomUUID } from 'node:crypto';
import { Crew } from './crew.js';
import { Dice } from './dice.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults.js';
import { pass } from './pass.js';
import { leftAtLast, Site } from './site.js';
import { boundsFor, QUARANTINE_MS, type RULES } from './terms.js';
import { judge, type Evidence } from './verdict.js';
import { victimsOf } from './victims.js';

export interface SoakPlan {
  readonly minutes: number;
  readonly nodes: number;
  readonly processes: number;
  readonly keys: number;
  readonly seed: number;
  /** The next fault comes so long after the one before, ms. @default 2000 to 4000 */
  readonly gapMs?: readonly [least: number, most: number];
  /** Other rules than those that are kept, to see what they do. */
  readonly rules?: Partial<typeof RULES>;
  tell(line: string): void;
}

export interface SoakResult {
  readonly faults: number;
  readonly leases: number;
  readonly lost: number;
  readonly increments: number;
  readonly violations: readonly string[];
  readonly evidence: Evidence;
}

const GAP_MS = [2_000, 4_000] as const;
const PROGRESS_MS = 10_000;
const BODY = { module: new URL('guarded-counter.mjs', import.meta.url).href, factory: 'guardedCounter' };
/** What needs no servers of its own kind. */
const ANYWHERE = FAULTS.filter(({ args }) => args === undefined);

/** Processes count under locks, in a store apart, while one fault after the other strikes; the counters are exact at the end. */
export async function soak(plan: SoakPlan): Promise<SoakResult> {
  const { nodes, processes, keys, minutes, rules, tell } = plan;
  const run = randomUUID().slice(0, 8);
  const resources = Array.from({ length: keys }, (_, i) => `soak:${run}:${i + 1}`);
  const store = await startRedis();
  const site = await Site.open(nodes);
  const body = { ...BODY, args: [store.url] };
  const job = { resource: resources[0]!, resources, tasks: 2, restMs: 10, body };
  const crew = new Crew(
    site,
    Array.from({ length: processes }, () => job),
    rules,
  );
  const begunAt = performance.now();
  const endsAt = begunAt + minutes * 60_000;
  let faults = 0;
  const progress = setInterval(() => {
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    tell(`${seconds} s: ${faults} faults, ${crew.leases()} leases`);
  }, PROGRESS_MS);
  const others: string[] = [];
  const left: string[] = [];
  try {
    await crew.allHold();
    for await (const fault of strikes(plan, site, crew, endsAt)) {
      faults += 1;
      tell(`  ${fault.name}`);
    }
    await crew.finish();
    left.push(...(await leftAtLast(site, `soak:${run}:`)));
  } catch (error) {
    others.push(`it broke off: ${(error as Error).message}`);
  } finally {
    clearInterval(progress);
    await crew.close();
    await site.close();
  }
  others.push(...crew.failures);
  const counted = await Promise.all(resources.map((resource) => countOf(store, resource)));
  await store.stop();
  for (const { resource, value, writes } of counted)
    if (value !== writes) others.push(`counter: "${resource}" is ${value} after ${writes} increments`);
  const evidence = { history: crew.history, left, others, bounds: boundsFor(nodes) };
  const { violations, report } = judge(evidence);
  const { leases, lost } = report;
  const increments = counted.reduce((sum, { writes }) => sum + writes, 0);
  return { faults, leases, lost, increments, violations, evidence };
}

/** One fault after the other, as the seed draws them, each told when it is over and everybody is served again. */
async function* strikes(plan: SoakPlan, site: Site, crew: Crew, endsAt: number): AsyncGenerator<Fault> {
  const { seed, gapMs = GAP_MS } = plan;
  const dice = new Dice(seed);
  for (let count = 0; performance.now() < endsAt; count += 1) {
    const nextAt = performance.now() + dice.between(...gapMs);
    const fault = dice.oneOf(ANYWHERE);
    const victims = victimsOf(fault, site.nodes, count, dice);
    await fault.strike({ site, crew, victims, dice, strikes: count });
    if (fault.losesData === true) await pass(QUARANTINE_MS);
    await crew.allHold();
    yield fault;
    await pass(Math.max(0, Math.min(nextAt, endsAt) - performance.now()));
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
