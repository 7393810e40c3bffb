import { checkHistory, type Bounds, type History, type HistoryReport } from 'bedrock-testkit';
import type { Silence } from './fault.js';

/** What is known when all have ended. */
export interface Evidence {
  readonly history: History;
  readonly bounds: Bounds;
  /** Keys that are there although nobody holds anything any more. */
  readonly left: readonly string[];
  readonly silences?: readonly Silence[];
}

export interface Verdict {
  readonly report: HistoryReport;
  /** Broken promises, in words. */
  readonly violations: readonly string[];
}

/** Of a lock that is there, and of a backend that may be away, a caller hears nothing else. */
const KNOWN_FAILURES = ['BACKEND_UNAVAILABLE', 'LOCK_WAIT_TIMEOUT'];

/** The rules of the history's checker, and those that take more than a history. */
export function judge({ history, bounds, left, silences = [] }: Evidence): Verdict {
  const report = checkHistory(history, bounds);
  const untyped = Object.keys(report.failures).filter((code) => !KNOWN_FAILURES.includes(code));
  const violations = [
    ...report.violations.map(({ rule, text }) => `${rule}: ${text}`),
    ...left.map((key) => `I8: ${key} is left`),
    ...grantedIn(silences, history).map((lease) => `outage: ${lease} was granted by a minority`),
    ...untyped.map((code) => `errors: a call failed with ${code}`),
  ];
  return { report, violations };
}

/** Leases that began, with some life in them, while too few nodes were there. */
function grantedIn(silences: readonly Silence[], history: History): string[] {
  return history.flatMap((event) => {
    if (event.kind !== 'acquired' || event.validUntil <= event.at) return [];
    return silences.some(({ from, to }) => event.at > from && event.at < to) ? [event.lease] : [];
  });
}
