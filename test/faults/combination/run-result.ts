import {
  assertHistory,
  checkHistory,
  type HistoryLimits,
  type History,
  type HistoryReport,
} from 'bedrock-testkit';
import type { OutagePeriod } from './fault.js';

/** The record after all contenders have ended. */
export interface RunRecord {
  readonly history: History;
  readonly limits: HistoryLimits;
  /** Keys that remain although no holder is left. */
  readonly remainingKeys: readonly string[];
  readonly outages?: readonly OutagePeriod[];
  /** What else went wrong, in words. */
  readonly others?: readonly string[];
}

export interface RunResult {
  readonly report: HistoryReport;
  /** Broken promises, in words. */
  readonly violations: readonly string[];
}

/** Of a lock that is there, and of a backend that may be away, a caller hears nothing else. */
const KNOWN_FAILURES = ['BACKEND_UNAVAILABLE', 'LOCK_WAIT_TIMEOUT'];

/** The rules of the history's checker, and those that take more than a history. For tables, and tests of this check. */
export function evaluate(record: RunRecord): RunResult {
  const report = checkHistory(record.history, record.limits);
  const texts = report.violations.map(({ invariant, text }) => `${invariant}: ${text}`);
  return { report, violations: [...texts, ...otherViolations(record)] };
}

/** @throws AssertionError with what {@link evaluate} finds; it names the file that the history is kept in */
export function assertSound(record: RunRecord): HistoryReport {
  return assertHistory(record.history, record.limits, otherViolations(record));
}

function otherViolations({ history, remainingKeys: left, outages = [], others = [] }: RunRecord): string[] {
  const codes = new Set(history.flatMap((event) => (event.kind === 'failed' ? [event.code] : [])));
  const untyped = [...codes].filter((code) => !KNOWN_FAILURES.includes(code));
  return [
    ...others,
    ...left.map((key) => `I8: ${key} is left`),
    ...grantedDuring(outages, history).map((lease) => `outage: ${lease} was granted by a minority`),
    ...untyped.map((code) => `errors: a call failed with ${code}`),
  ];
}

/** Leases that began, with some life in them, while too few nodes were there. */
function grantedDuring(outages: readonly OutagePeriod[], history: History): string[] {
  return history.flatMap((event) => {
    if (event.kind !== 'acquired' || event.validUntil <= event.at) return [];
    return outages.some(({ from, to }) => event.at > from && event.at < to) ? [event.lease] : [];
  });
}
