import type { EngineStats } from '../../../libs/lock/src/engine/locking/engine-stats.js';
import { checkHistory } from '../../../libs/testkit/src/history/check-history.js';
import type { SimClient } from '../load/sim-client.js';
import { standstills } from './standstills.js';
import type { Promised } from '../world/scenario.js';
import type { SimSystem } from '../world/sim-system.js';

/** What was found in one world. */
export interface WorldResult {
  readonly violations: readonly string[];
  readonly leases: number;
}

/** How a process looked when its work was done. */
export interface IdleState {
  readonly name: string;
  readonly busy: number;
  readonly stats: EngineStats;
}

/** Kept for ever, or for a minute after the last guarded process (`bedrock_guard_lease`), as the documents say. */
const PERMANENT: ReadonlySet<string> = new Set(['bedrock_token', 'bedrock_guard', 'bedrock_guard_lease']);
/** The invariants that are not owed. Beyond the promise, two may hold at once, and tokens may repeat. */
const NOT_PROMISED: Readonly<Record<Promised, ReadonlySet<string>>> = {
  all: new Set(),
  'no exclusion': new Set(['I1', 'I2']),
  // A process whose clocks stood still is wrong about all of time, and in the order of its turns.
  'guarded writes': new Set(['I1', 'I2', 'I3', 'I4', 'I7', 'I9']),
};

/** Holds a world to the promises that its seed leaves. */
export function checkWorld(
  system: SimSystem,
  clients: readonly SimClient[],
  idle: readonly IdleState[],
): WorldResult {
  const { scenario, history, store, problems } = system;
  for (const { process, hasClosed } of clients) {
    if (!hasClosed) continue;
    history.push({ at: system.world.now, process: process.name, kind: 'ended', resource: '' });
  }
  const { isCalm, promised, backend, strategy } = scenario;
  // A call that is interrupted before its first look at the clock counts from there.
  const settleMs = 100 + (scenario.hiccupShare > 0 ? 2 * scenario.longestHiccupMs : 0);
  // Several nodes wake one after the other; without a left-most one, the next holder is a matter of chance.
  const handOverMs = backend === 'single' ? 50 : strategy === 'leftmost' ? 250 : Infinity;
  const limits = { settleMs, ...(isCalm && { handOverMs }) };
  const report = checkHistory(history, limits);
  const isOwed = (invariant: string): boolean => !NOT_PROMISED[promised].has(invariant);
  return {
    leases: report.leases,
    violations: [
      ...problems,
      ...report.violations
        .filter(({ invariant }) => isOwed(invariant))
        .map(({ invariant, at, text }) => `${invariant} at ${at.toFixed(3)}: ${text}`),
      ...standstills(system),
      ...(promised !== 'no exclusion' ? store.lostUpdates.map((text) => `I2: ${text}`) : []),
      ...clients.flatMap((client) => unfinished(client)),
      ...idle.flatMap((one) => unfinishedTasks(one)),
      ...leftovers(system),
    ],
  };
}

function unfinished({ process, isClosing, hasClosed, bedrock, busy, settlements }: SimClient): string[] {
  if (process.isDead) return [];
  if (!isClosing || !hasClosed) return [`I9: ${process.name} never came to its end`];
  if (busy > 0) return [`I9: ${busy} tasks of ${process.name} wait for ever`];
  if (settlements.open.length > 0) return [`I9: ${settlements.open.join(', ')} never settled`];
  const { resources, waiters, holds, pendingWithdrawals } = bedrock.stats();
  if (resources + waiters + holds + pendingWithdrawals > 0)
    return [`I10: ${process.name} has closed with ${JSON.stringify(bedrock.stats())}`];
  return process.pendingTimers > 0
    ? [`I10: ${process.name} has closed with ${process.pendingTimers} timers`]
    : [];
}

function unfinishedTasks({ name, busy, stats }: IdleState): string[] {
  if (busy > 0) return [`I9: ${busy} tasks of ${name} are not done long after their deadlines`];
  const { resources, waiters, holds, pendingWithdrawals } = stats;
  return resources + waiters + holds + pendingWithdrawals > 0
    ? [`I10: ${name} is idle with ${JSON.stringify(stats)}`]
    : [];
}

function leftovers({ nodes, isTidy }: SimSystem): string[] {
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
