import { count, duration } from '../report/numbers.js';
import type { Section } from '../report/report.js';

/** One series of one process, with its value. */
export interface SaleSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Outcomes of callers that got their lock. */
const SERVED: ReadonlySet<string> = new Set(['granted', 'handed_over']);
const P99 = 0.99;

/** The five figures that matter, from the metrics of all processes. */
export function metricsSection(series: readonly SaleSeries[]): Section {
  const metrics = new SaleMetrics(series);
  const acquired = metrics.byOutcome('bedrock_lock_acquisitions_total');
  const refused = [...acquired].filter(([outcome]) => !SERVED.has(outcome));
  const renewals = metrics.byOutcome('bedrock_lock_renewals_total');
  const requests = metrics.byOutcome('bedrock_backend_requests_total');
  const within = (histogram: string): string => `p99 within ${boundText(metrics.bound(histogram, P99))}`;
  return {
    head: ['metrics', '', ''],
    rows: [
      [
        'acquisitions',
        `${count(acquired.get('granted') ?? 0)} from the backend, ${count(acquired.get('handed_over') ?? 0)} handed over`,
        `${count(sumOf(refused))} refused`,
      ],
      [
        'wait',
        within('bedrock_lock_wait_duration_seconds'),
        `${count(metrics.sum('bedrock_lock_waited_long_total'))} over half of waitMs`,
      ],
      ['hold', within('bedrock_lock_hold_duration_seconds'), ''],
      [
        'leases',
        `${count(metrics.sum('bedrock_lock_lost_total'))} lost`,
        `${count(renewals.get('failed') ?? 0)} of ${count(sumOf(renewals))} renewals failed`,
      ],
      [
        'requests',
        `${count(sumOf(requests))}, ${within('bedrock_backend_request_duration_seconds')}`,
        `${count(requests.get('unavailable') ?? 0)} unavailable`,
      ],
    ],
  };
}

/** The series of several processes. */
class SaleMetrics {
  constructor(private readonly series: readonly SaleSeries[]) {}

  sum(name: string): number {
    return this.#named(name).reduce((total, { value }) => total + value, 0);
  }

  byOutcome(name: string): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const { labels, value } of this.#named(name)) {
      const outcome = labels['bedrock_outcome'] ?? '';
      sums.set(outcome, (sums.get(outcome) ?? 0) + value);
    }
    return sums;
  }

  /** The lowest bound of a bucket, in s, that holds this share of all values; undefined without values. */
  bound(histogram: string, share: number): number | undefined {
    const sums = new Map<number, number>();
    for (const { labels, value } of this.#named(`${histogram}_bucket`)) {
      const bound = Number(labels['le']?.replace('+Inf', 'Infinity'));
      sums.set(bound, (sums.get(bound) ?? 0) + value);
    }
    const total = this.sum(`${histogram}_count`);
    if (total === 0) return undefined;
    const bounds = [...sums].filter(([, below]) => below >= share * total).map(([bound]) => bound);
    return Math.min(...bounds);
  }

  #named(name: string): readonly SaleSeries[] {
    return this.series.filter((one) => one.name === name);
  }
}

function sumOf(sums: Iterable<readonly [string, number]>): number {
  return [...sums].reduce((total, [, value]) => total + value, 0);
}

function boundText(bound: number | undefined): string {
  if (bound === undefined) return '-';
  return bound === Infinity ? 'no bucket' : duration(1_000 * bound);
}
