import { endOf, livesOf } from './lease-life.js';
import type { History } from './history-event.js';
import { clockTruth, exclusion, ownership, tokens } from './rules-of-holding.js';
import { starvation, turnsWaited } from './rules-of-turns.js';
import { handOver, handOverTimes, loss, percentile, settling } from './rules-of-time.js';
import type { Bounds, Violation } from './violation.js';

/** What a history was found to be. */
export interface HistoryReport {
  /** Empty when every promise was kept. In the order of time. */
  readonly violations: readonly Violation[];
  readonly leases: number;
  /** Leases that were over before their release. */
  readonly lost: number;
  /** Leases per process. */
  readonly turns: Readonly<Record<string, number>>;
  /** Calls that failed, by code. */
  readonly failures: Readonly<Record<string, number>>;
  /** The longest time from asking to holding, ms. */
  readonly longestWaitMs: number;
  /** The most turns that began while one caller waited for its own: what fairness is, on a slow machine too. */
  readonly mostTurnsWaited: number;
  /** From a release to the start of the next holder that had been waiting, ms. */
  readonly handOverMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/**
 * Judges a history by the invariants of docs/safety.md: I1 exclusion, I2 tokens, I3 `isHeld`, I4 loss, I5 hand-over,
 * I7 ownership, I9 settling. The events may come in any order.
 */
export function checkHistory(history: History, bounds: Bounds = {}): HistoryReport {
  const ordered = [...history].sort((a, b) => a.at - b.at);
  const lives = livesOf(ordered);
  const violations = [
    ...exclusion(lives),
    ...tokens(lives),
    ...clockTruth(lives),
    ...loss(lives, ordered, bounds),
    ...handOver(lives, bounds),
    ...starvation(lives, ordered, bounds),
    ...ownership(lives, ordered),
    ...settling(lives, ordered, bounds),
  ];
  const times = handOverTimes(lives);
  return {
    violations: violations.sort((a, b) => a.at - b.at),
    leases: lives.length,
    lost: lives.filter((life) => life.lostAt !== undefined || endOf(life) < (life.releasingAt ?? -Infinity))
      .length,
    turns: count(lives.map(({ process }) => process)),
    failures: count(ordered.flatMap((event) => (event.kind === 'failed' ? [event.code] : []))),
    longestWaitMs: largest(lives.map(({ askedAt, acquiredAt }) => acquiredAt - (askedAt ?? acquiredAt))),
    mostTurnsWaited: largest(turnsWaited(lives)),
    handOverMs: {
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: largest(times),
    },
  };
}

/** 0 of nothing. There may be more of them than a call takes arguments. */
function largest(values: readonly number[]): number {
  return values.reduce((one, other) => Math.max(one, other), 0);
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
