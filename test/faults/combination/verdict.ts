import { assertHistory, checkHistory, type Bounds, type History, type HistoryReport } from 'bedrock-testkit';
import type { Silence } from './fault.js';

/** What is known when all have ended. */
export interface Evidence {
  readonly history: History;
  readonly bounds: Bounds;
  /** Keys that are there although nobody holds anything any more. */
  readonly left: readonly string[];
  readonly silences?: readonly Silence[];
  /** What else went wrong, in words. */
  readonly others?: readonly string[];
}

export interface Verdict {
  readonly report: HistoryReport;
  /** Broken promises, in words. */
  readonly violations: readonly string[];
}

/** Of a lock that is there, and of a backend that may be away, a caller hears nothing else. */
const KNOWN_FAILURES = ['BACKEND_UNAVAILABLE', 'LOCK_WAIT_TIMEOUT'];

/** The rules of the history's checker, and those that take more than a history. For tables, and tests of this judge. */
export function judge(evidence: Evidence): Verdict {
  const report = checkHistory(evidence.history, evidence.bounds);
  const told = report.violations.map(({ rule, text }) => `${rule}: ${text}`);
  return { report, violations: [...told, ...beyondTheHistory(evidence)] };
}

/** @throws AssertionError with what {@link judge} finds; it names the file that the history is kept in */
export function assertSound(evidence: Evidence): HistoryReport {
  return assertHistory(evidence.history, evidence.bounds, beyondTheHistory(evidence));
}

function beyondTheHistory({ history, left, silences = [], others = [] }: Evidence): string[] {
  const codes = new Set(history.flatMap((event) => (event.kind === 'failed' ? [event.code] : [])));
  const untyped = [...codes].filter((code) => !KNOWN_FAILURES.includes(code));
  return [
    ...others,
    ...left.map((key) => `I8: ${key} is left`),
    ...grantedIn(silences, history).map((lease) => `outage: ${lease} was granted by a minority`),
    ...untyped.map((code) => `errors: a call failed with ${code}`),
  ];
}

/** Leases that began, with some life in them, while too few nodes were there. */
function grantedIn(silences: readonly Silence[], history: History): string[] {
  return history.flatMap((event) => {
    if (event.kind !== 'acquired' || event.validUntil <= event.at) return [];
    return silences.some(({ from, to }) => event.at > from && event.at < to) ? [event.lease] : [];
  });
}
