import type { EngineStats } from '../../../libs/lock/src/engine/locking/engine-stats.js';
import { checkHistory } from '../../../libs/testkit/src/history/check-history.js';
import type { Client } from '../load/client.js';
import { standstills } from './standstills.js';
import type { Promised } from '../world/scenario.js';
import type { Site } from '../world/site.js';

/** What was found in one world. */
export interface Verdict {
  readonly violations: readonly string[];
  readonly leases: number;
}

/** How a process looked when its work was done. */
export interface Idle {
  readonly name: string;
  readonly busy: number;
  readonly stats: EngineStats;
}

/** Kept for ever, or for a minute after the last guarded process (`bedrock_guard_lease`), as the documents say. */
const PERMANENT: ReadonlySet<string> = new Set(['bedrock_token', 'bedrock_guard', 'bedrock_guard_lease']);
/** What is not owed. Beyond the promise, two may hold at once, and tokens may repeat. */
const EXCUSED: Readonly<Record<Promised, ReadonlySet<string>>> = {
  all: new Set(),
  'no exclusion': new Set(['I1', 'I2']),
  // A process whose clocks stood still is wrong about all of time, and in the order of its turns.
  'guarded writes': new Set(['I1', 'I2', 'I3', 'I4', 'I7', 'I9']),
};

/** Holds a world to the promises that its seed leaves. */
export function judge(site: Site, clients: readonly Client[], idle: readonly Idle[]): Verdict {
  const { scenario, history, store, complaints } = site;
  for (const { process, hasClosed } of clients) {
    if (!hasClosed) continue;
    history.push({ at: site.world.now, process: process.name, kind: 'ended', resource: '' });
  }
  const { isCalm, promised, backend, strategy } = scenario;
  // A call that is interrupted before its first look at the clock counts from there.
  const settleMs = 100 + (scenario.hiccupShare > 0 ? 2 * scenario.longestHiccupMs : 0);
  // Several nodes wake one after the other; without a left-most one, who comes next is a matter of chance.
  const handOverMs = backend === 'single' ? 50 : strategy === 'leftmost' ? 250 : Infinity;
  const bounds = { settleMs, ...(isCalm && { handOverMs }) };
  const report = checkHistory(history, bounds);
  const isOwed = (rule: string): boolean => !EXCUSED[promised].has(rule);
  return {
    leases: report.leases,
    violations: [
      ...complaints,
      ...report.violations
        .filter(({ rule }) => isOwed(rule))
        .map(({ rule, at, text }) => `${rule} at ${at.toFixed(3)}: ${text}`),
      ...standstills(site),
      ...(promised !== 'no exclusion' ? store.lostUpdates.map((text) => `I2: ${text}`) : []),
      ...clients.flatMap((client) => unfinished(client)),
      ...idle.flatMap((one) => busyness(one)),
      ...leftovers(site),
    ],
  };
}

function unfinished({ process, isClosing, hasClosed, bedrock, busy, patience }: Client): string[] {
  if (process.isDead) return [];
  if (!isClosing || !hasClosed) return [`I9: ${process.name} never came to its end`];
  if (busy > 0) return [`I9: ${busy} tasks of ${process.name} wait for ever`];
  if (patience.open.length > 0) return [`I9: ${patience.open.join(', ')} never settled`];
  const { resources, waiters, holds, pendingWithdrawals } = bedrock.stats();
  if (resources + waiters + holds + pendingWithdrawals > 0)
    return [`I10: ${process.name} has closed with ${JSON.stringify(bedrock.stats())}`];
  return process.pendingTimers > 0
    ? [`I10: ${process.name} has closed with ${process.pendingTimers} timers`]
    : [];
}

function busyness({ name, busy, stats }: Idle): string[] {
  if (busy > 0) return [`I9: ${busy} tasks of ${name} are not done long after their deadlines`];
  const { resources, waiters, holds, pendingWithdrawals } = stats;
  return resources + waiters + holds + pendingWithdrawals > 0
    ? [`I10: ${name} is idle with ${JSON.stringify(stats)}`]
    : [];
}

function leftovers({ nodes, isTidy }: Site): string[] {
  return nodes.flatMap(({ name, redis }) => {
    const ends = redis.keysWithEnds().filter(([key]) => !PERMANENT.has(key));
    const left = ends.map(([key]) => key);
    const endless = ends.flatMap(([key, end]) => (end === Infinity ? [key] : []));
    if (endless.length > 0) return [`I8: ${name} keeps ${endless.join(', ')} for ever`];
    // The row of a process is for people, and ends by itself.
    const undue = left.filter((key) => !key.startsWith('bedrock_process:'));
    return isTidy && undue.length > 0 ? [`I8: ${name} still has ${undue.join(', ')}`] : [];
  });
}
