import type { EventOrigin, LockEventName, LockEvents, ProcessOrigin } from '../core/events.js';
import type { NodeView } from '../core/ports/node.js';
import { COUNTERS, GAUGES, HISTOGRAMS, outcomeName } from './metric-catalog.js';
import type { Attributes, MetricSink } from './metric-sink.js';
import { NameLimit } from './name-limit.js';
import { LockSeries, type Recorder } from './series.js';

/** What metrics are made from: a `Bedrock`. */
export interface MetricSource {
  readonly backend: { readonly name: string };
  on<N extends LockEventName>(event: N, listener: (payload: LockEvents[N]) => void): () => void;
  nodes(): readonly NodeView[];
  readonly isClosed: boolean;
}

/** Names of locks that metrics tell apart, unless told otherwise. */
export const MAX_NAMES = 200;

type HistogramName = keyof typeof HISTOGRAMS;
type CounterName = keyof typeof COUNTERS;

/** A request is counted without its lock: with it, each name would have the series of each verb and outcome. */
const NO_LOCK = { lock: '', kind: '', mode: '' } as const;

/** No lock has this mode. */
const NONE = { lock: '', mode: 'none', series: new LockSeries({}) };

/**
 * Turns the events of a Bedrock into metrics. It sends nothing to the backend, and adds nothing to a wait. Series are found
 * without building a key, since that would cost more than all the rest.
 */
export class LockMetrics {
  readonly #names: NameLimit;
  /** By name, then by mode: within a Bedrock a name has one kind. */
  readonly #series = new Map<string, Map<string, LockSeries>>();
  /** Of the waits and leases that have begun since; a lease that is downgraded ends in another mode. */
  readonly #waiting = new Map<number, LockSeries>();
  readonly #held = new Map<string, LockSeries>();
  /** Those that were asked for last. */
  #last: { readonly lock: string; readonly mode: string; readonly series: LockSeries } = NONE;
  /** Of requests, by verb and outcome. */
  readonly #requests = new Map<string, Map<string, RequestRecorders>>();
  /** Metrics that could not be made. */
  readonly #refused = new Set<string>();
  readonly #subscriptions: (() => void)[] = [];

  constructor(
    private readonly source: MetricSource,
    private readonly sink: MetricSink,
    maxNames = MAX_NAMES,
  ) {
    this.#names = new NameLimit(maxNames);
    sink.gauge(GAUGES.held, () => this.#usage('held'));
    sink.gauge(GAUGES.waiting, () => this.#usage('waiting'));
    sink.gauge(GAUGES.nodes, () => this.#nodes());
    this.#listenToWaits();
    this.#listenToLeases();
    this.#listenToBackend();
    this.#listenToIdempotency();
  }

  /** Ends all metrics. */
  stop(): void {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
    this.sink.close();
  }

  #on<N extends LockEventName>(event: N, listener: (payload: LockEvents[N]) => void): void {
    this.#subscriptions.push(this.source.on(event, listener));
  }

  #listenToWaits(): void {
    this.#on('wait.started', (event) => {
      const series = this.#seriesOf(event);
      series.waiting += 1;
      this.#waiting.set(event.waitId, series);
    });
    this.#on('wait.ended', (event) => {
      const { waitId, end, waitedMs, waitMs } = event;
      const series = this.#waiting.get(waitId) ?? this.#seriesOf(event);
      if (this.#waiting.delete(waitId)) {
        series.waiting -= 1;
        this.#recorderOf(series, 'wait', end)(waitedMs / 1_000);
      }
      if (end !== 'granted') this.#count(series, 'acquisitions', end);
      if (waitedMs > waitMs / 2 && waitMs > 0) this.#count(series, 'waitedLong', '');
    });
    this.#on('queue.full', (event) => this.#count(this.#seriesOf(event), 'acquisitions', 'queue_full'));
  }

  #listenToLeases(): void {
    this.#on('lease.granted', (event) => {
      const series = this.#seriesOf(event);
      series.held += 1;
      this.#held.set(event.leaseId, series);
      this.#count(series, 'acquisitions', event.handedOver ? 'handed_over' : 'granted');
    });
    this.#on('lease.released', (event) => {
      const series = this.#seriesOf(event);
      this.#endHold(event, series, event.outcome);
      this.#count(series, 'releases', event.outcome);
    });
    this.#on('lease.lost', (event) => {
      const series = this.#seriesOf(event);
      this.#endHold(event, series, 'lost');
      this.#count(series, 'lost', event.reason);
    });
    this.#on('lease.renewed', (event) => {
      const series = this.#seriesOf(event);
      this.#count(series, 'renewals', 'renewed');
      this.#recorderOf(series, 'margin', '')(Math.min(1, event.marginMs / event.leaseMs));
    });
    this.#on('lease.renewalFailed', (event) => this.#count(this.#seriesOf(event), 'renewals', 'failed'));
    this.#on('lease.revoked', (event) => this.#count(this.#seriesOf(event), 'renewals', 'revoked'));
  }

  /** A hold that began before is not measured. */
  #endHold(
    { leaseId, heldMs }: { readonly leaseId: string; readonly heldMs: number },
    series: LockSeries,
    outcome: string,
  ): void {
    const began = this.#held.get(leaseId);
    if (began === undefined) return;
    began.held -= 1;
    this.#held.delete(leaseId);
    this.#recorderOf(series, 'hold', outcome)(heldMs / 1_000);
  }

  #listenToBackend(): void {
    this.#on('backend.request', (event) => {
      const { verb, end, durationMs } = event;
      const recorders = this.#requests.get(verb)?.get(end) ?? this.#newRequests(event);
      recorders.count(1);
      recorders.time(durationMs / 1_000);
    });
    this.#on('loop.stalled', (event) =>
      this.#recorderOf(this.#seriesOf(event), 'stall', '')(event.lateMs / 1_000),
    );
  }

  #newRequests({ verb, end, backend }: LockEvents['backend.request']): RequestRecorders {
    const attributes = attributesOf({ ...NO_LOCK, backend }, { verb, outcome: end });
    const recorders: RequestRecorders = {
      count: this.#made('requests', () => this.sink.counter(COUNTERS.requests, attributes)),
      time: this.#made('request', () => this.sink.histogram(HISTOGRAMS.request, attributes)),
    };
    const known = this.#requests.get(verb) ?? new Map<string, RequestRecorders>();
    this.#requests.set(verb, known.set(end, recorders));
    return recorders;
  }

  #listenToIdempotency(): void {
    const count = (event: EventOrigin, outcome: string): void =>
      this.#count(this.#seriesOf(event), 'idempotentRequests', outcome);
    this.#on('idempotency.begun', (event) => count(event, 'run'));
    this.#on('idempotency.replayed', (event) => count(event, 'replayed'));
    this.#on('idempotency.refused', (event) => count(event, event.reason));
    this.#on('idempotency.unprotected', (event) => count(event, 'unprotected'));
    this.#on('idempotency.unconfirmed', (event) => count(event, 'unconfirmed'));
    for (const outcome of ['completed', 'abandoned', 'lost'] as const)
      this.#on(`idempotency.${outcome}`, (event) =>
        this.#recorderOf(this.#seriesOf(event), 'idempotentRun', outcome)(event.tookMs / 1_000),
      );
  }

  #count(series: LockSeries, counter: CounterName, outcome: string): void {
    const known = series.recorder(counter, outcome);
    if (known !== undefined) return known(1);
    const attributes = { ...series.attributes, ...factsOf(counter, outcome) };
    const made = this.#made(counter, () => this.sink.counter(COUNTERS[counter], attributes));
    series.keep(counter, outcome, made)(1);
  }

  /** What records values of this histogram. */
  #recorderOf(series: LockSeries, histogram: HistogramName, outcome: string): Recorder {
    const known = series.recorder(histogram, outcome);
    if (known !== undefined) return known;
    const attributes = { ...series.attributes, ...factsOf(histogram, outcome) };
    const made = this.#made(histogram, () => this.sink.histogram(HISTOGRAMS[histogram], attributes));
    return series.keep(histogram, outcome, made);
  }

  /** A series that cannot be made records nothing: its name belongs to another metric. */
  #made(metric: string, make: () => Recorder): Recorder {
    try {
      return make();
    } catch (error) {
      if (!this.#refused.has(metric)) warnOfRefusal(metric, error);
      this.#refused.add(metric);
      return () => undefined;
    }
  }

  #seriesOf(origin: ProcessOrigin): LockSeries {
    // The events of a cycle come one after the other.
    if (origin.lock === this.#last.lock && origin.mode === this.#last.mode) return this.#last.series;
    const series = this.#findSeries(origin);
    this.#last = { lock: origin.lock, mode: origin.mode, series };
    return series;
  }

  #findSeries(origin: ProcessOrigin): LockSeries {
    const lock = this.#names.of(origin.lock);
    // Names that are not told apart may be of several kinds.
    const at = lock === origin.lock ? lock : `${lock} ${origin.kind}`;
    return this.#series.get(at)?.get(origin.mode) ?? this.#newSeries(at, { ...origin, lock });
  }

  #newSeries(at: string, origin: ProcessOrigin): LockSeries {
    const series = new LockSeries(attributesOf(origin, {}));
    const known = this.#series.get(at) ?? new Map<string, LockSeries>();
    this.#series.set(at, known.set(origin.mode, series));
    return series;
  }

  *#usage(field: 'held' | 'waiting'): Generator<readonly [Attributes, number]> {
    for (const modes of this.#series.values())
      for (const series of modes.values()) yield [series.attributes, series[field]];
  }

  *#nodes(): Generator<readonly [Attributes, number]> {
    const backend = this.source.backend.name;
    // A view that is never updated again would count for ever.
    if (this.source.isClosed) return;
    for (const { id, isAvailable } of this.source.nodes()) {
      yield [{ 'bedrock.backend': backend, 'bedrock.node': id }, isAvailable ? 1 : 0];
    }
  }
}

/** What records the requests of one verb and outcome. */
interface RequestRecorders {
  readonly count: Recorder;
  readonly time: Recorder;
}

/** The attribute that tells series of one lock apart; none where there is one series. */
function factsOf(metric: CounterName | HistogramName, outcome: string): Attributes {
  if (outcome === '') return {};
  return { [metric === 'lost' ? 'bedrock.reason' : 'bedrock.outcome']: outcomeName(outcome) };
}

function warnOfRefusal(metric: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : 'no error given';
  process.emitWarning(
    `the metric "${metric}" of locks is not recorded: ${reason}; its name may belong to another metric`,
    { type: 'BedrockWarning', code: 'BEDROCK_METRIC_REFUSED' },
  );
}

/** The attributes of a series; what does not apply is left out. */
function attributesOf({ lock, kind, mode, backend }: ProcessOrigin, facts: Attributes): Attributes {
  const all: Record<string, string> = {
    'bedrock.lock.name': lock,
    'bedrock.lock.kind': kind,
    'bedrock.lock.mode': mode,
    'bedrock.backend': backend,
  };
  for (const [name, value] of Object.entries(facts)) all[`bedrock.${name}`] = outcomeName(value);
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}
