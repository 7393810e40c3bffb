/** One metric. Times are in seconds and units in UCUM, as the semantic conventions of OpenTelemetry ask. */
export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

export interface HistogramMetric extends Metric {
  /** Upper bounds of the buckets, ascending. */
  readonly buckets: readonly number[];
}

export interface GaugeMetric extends Metric {
  /** The value of a series for which several Bedrocks give one. */
  readonly merge: (one: number, other: number) => number;
}

const sum = (one: number, other: number): number => one + other;

/** From 100 µs, a hand-over inside a process, to 60 s, a long wait. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;
const RATIOS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;

/** The histograms, by the name that the code uses. */
export const HISTOGRAMS = {
  wait: {
    name: 'bedrock.lock.wait.duration',
    unit: 's',
    description: 'Time from a request for a lock to its grant or refusal',
    buckets: SECONDS,
  },
  hold: {
    name: 'bedrock.lock.hold.duration',
    unit: 's',
    description: 'Time from the grant of a lock to its end',
    buckets: SECONDS,
  },
  margin: {
    name: 'bedrock.lock.lease.margin',
    unit: '1',
    description: 'What was left of a lease at its renewal, as a ratio of the lease',
    buckets: RATIOS,
  },
  request: {
    name: 'bedrock.backend.request.duration',
    unit: 's',
    description: 'Time from a request to the backend to its answer',
    buckets: SECONDS,
  },
  idempotentRun: {
    name: 'bedrock.idempotency.run.duration',
    unit: 's',
    description: 'Time that a run under an idempotency key took',
    buckets: SECONDS,
  },
  stall: {
    name: 'bedrock.process.stall',
    unit: 's',
    description: 'How late the event loop was while locks were held',
    buckets: SECONDS,
  },
} as const satisfies Record<string, HistogramMetric>;

/** The counters, by the name that the code uses. */
export const COUNTERS = {
  acquisitions: {
    name: 'bedrock.lock.acquisitions',
    unit: '{acquisition}',
    description: 'Requests for a lock, by their outcome',
  },
  waitedLong: {
    name: 'bedrock.lock.waited_long',
    unit: '{acquisition}',
    description: 'Waits of more than half of their waitMs',
  },
  lost: { name: 'bedrock.lock.lost', unit: '{lease}', description: 'Leases that ended before their release' },
  releases: { name: 'bedrock.lock.releases', unit: '{lease}', description: 'Releases, by their outcome' },
  renewals: { name: 'bedrock.lock.renewals', unit: '{renewal}', description: 'Renewals, by their outcome' },
  requests: {
    name: 'bedrock.backend.requests',
    unit: '{request}',
    description: 'Requests to the backend, by their outcome',
  },
  idempotentRequests: {
    name: 'bedrock.idempotency.requests',
    unit: '{request}',
    description: 'Requests under an idempotency key, by their outcome',
  },
} as const satisfies Record<string, Metric>;

/** Values read at each collection, by the name that the code uses. */
export const GAUGES = {
  held: {
    name: 'bedrock.lock.held',
    unit: '{lease}',
    description: 'Leases that this process holds',
    merge: sum,
  },
  waiting: {
    name: 'bedrock.lock.waiting',
    unit: '{caller}',
    description: 'Callers that wait in this process',
    merge: sum,
  },
  nodes: {
    name: 'bedrock.node.state',
    unit: '{node}',
    description: 'Whether a node of a combination is used: 1, or 0 while it is not',
    merge: Math.min,
  },
} as const satisfies Record<string, GaugeMetric>;

/** Outcomes whose names in code differ from those in metrics and spans by more than their case. */
const NAMES: Readonly<Record<string, string>> = { timedOut: 'timeout' };

/** An outcome or a reason as metrics and spans name it: in snake case, as the semantic conventions ask. */
export function outcomeName(name: string): string {
  return NAMES[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
