import type { EventOrigin, LockEventName, LockEvents, ProcessOrigin } from '../core/events.js';
import type { NodeView } from '../core/ports/node.js';
import { COUNTERS, GAUGES, HISTOGRAMS } from './metric-catalog.js';
import type { Attributes, MetricSink } from './metric-sink.js';
import { NameLimit } from './name-limit.js';
import { outcomeName } from './outcome-names.js';

/** What metrics are made from: a `Bedrock`. */
export interface MetricSource {
  readonly backend: { readonly name: string };
  on<N extends LockEventName>(event: N, listener: (payload: LockEvents[N]) => void): () => void;
  nodes(): readonly NodeView[];
}

/** Names of locks in metrics, unless told otherwise. */
export const MAX_NAMES = 200;

type HistogramName = keyof typeof HISTOGRAMS;
type CounterName = keyof typeof COUNTERS;

/** What callers do with locks of one origin at this moment. */
interface LockUsage {
  readonly attributes: Attributes;
  held: number;
  waiting: number;
}

/** Turns the events of a Bedrock into metrics. It sends nothing to the backend, and adds nothing to a wait. */
export class LockMetrics {
  readonly #names: NameLimit;
  readonly #usages = new Map<string, LockUsage>();
  /** Of the waits and leases that have begun since; a lease that is downgraded ends in another mode. */
  readonly #waiting = new Map<number, LockUsage>();
  readonly #held = new Map<string, LockUsage>();
  readonly #recorders = new Map<string, (value: number) => void>();
  readonly #subscriptions: (() => void)[] = [];

  constructor(
    private readonly source: MetricSource,
    private readonly sink: MetricSink,
    maxNames = MAX_NAMES,
  ) {
    this.#names = new NameLimit(maxNames);
    this.#listenToWaits();
    this.#listenToLeases();
    this.#listenToBackend();
    this.#listenToIdempotency();
    sink.gauge(GAUGES.held, () => this.#usage('held'));
    sink.gauge(GAUGES.waiting, () => this.#usage('waiting'));
    sink.gauge(GAUGES.nodes, () => this.#nodes());
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
      const usage = this.#usageOf(event);
      usage.waiting += 1;
      this.#waiting.set(event.waitId, usage);
    });
    this.#on('wait.ended', (event) => {
      const { waitId, end, waitedMs, waitMs } = event;
      const usage = this.#waiting.get(waitId);
      if (usage !== undefined) {
        usage.waiting -= 1;
        this.#waiting.delete(waitId);
        this.#record('wait', event, waitedMs / 1_000, { outcome: end });
      }
      if (end !== 'granted') this.#count('acquisitions', event, { outcome: end });
      if (waitedMs > waitMs / 2 && waitMs > 0) this.#count('waitedLong', event);
    });
    this.#on('queue.full', (event) => this.#count('acquisitions', event, { outcome: 'queue_full' }));
  }

  #listenToLeases(): void {
    this.#on('lease.granted', (event) => {
      const usage = this.#usageOf(event);
      usage.held += 1;
      this.#held.set(event.leaseId, usage);
      this.#count('acquisitions', event, { outcome: event.handedOver ? 'handed_over' : 'granted' });
    });
    this.#on('lease.released', (event) => {
      this.#endHold(event, event.outcome, event.heldMs);
      this.#count('releases', event, { outcome: event.outcome });
    });
    this.#on('lease.lost', (event) => {
      this.#endHold(event, 'lost', event.heldMs);
      this.#count('lost', event, { reason: event.reason });
    });
    this.#on('lease.renewed', (event) => {
      this.#count('renewals', event, { outcome: 'renewed' });
      this.#record('margin', event, Math.min(1, event.marginMs / event.leaseMs));
    });
    this.#on('lease.renewalFailed', (event) => this.#count('renewals', event, { outcome: 'failed' }));
    this.#on('lease.revoked', (event) => this.#count('renewals', event, { outcome: 'revoked' }));
  }

  #endHold(event: EventOrigin & { readonly leaseId: string }, outcome: string, heldMs: number): void {
    const usage = this.#held.get(event.leaseId);
    if (usage === undefined) return;
    usage.held -= 1;
    this.#held.delete(event.leaseId);
    this.#record('hold', event, heldMs / 1_000, { outcome });
  }

  #listenToBackend(): void {
    this.#on('backend.request', (event) => {
      const { backend, verb, end, durationMs } = event;
      // Without the lock: with it, each name would have the series of each verb and outcome.
      const origin = { lock: '', kind: '', mode: '', backend } as const;
      this.#count('requests', origin, { verb, outcome: end });
      this.#record('request', origin, durationMs / 1_000, { verb, outcome: end });
    });
    this.#on('loop.stalled', (event) => this.#record('stall', event, event.lateMs / 1_000));
  }

  #listenToIdempotency(): void {
    const count = (event: EventOrigin, outcome: string): void =>
      this.#count('idempotentRequests', event, { outcome });
    this.#on('idempotency.begun', (event) => count(event, 'run'));
    this.#on('idempotency.replayed', (event) => count(event, 'replayed'));
    this.#on('idempotency.refused', (event) => count(event, event.reason));
    this.#on('idempotency.unprotected', (event) => count(event, 'unprotected'));
    this.#on('idempotency.unconfirmed', (event) => count(event, 'unconfirmed'));
    for (const outcome of ['completed', 'abandoned', 'lost'] as const)
      this.#on(`idempotency.${outcome}`, (event) =>
        this.#record('idempotentRun', event, event.tookMs / 1_000, { outcome }),
      );
  }

  #count(counter: CounterName, origin: ProcessOrigin, facts: Attributes = {}): void {
    this.#recorder(counter, origin, facts, (attributes) => this.sink.counter(COUNTERS[counter], attributes))(
      1,
    );
  }

  #record(histogram: HistogramName, origin: ProcessOrigin, value: number, facts: Attributes = {}): void {
    this.#recorder(histogram, origin, facts, (attributes) =>
      this.sink.histogram(HISTOGRAMS[histogram], attributes),
    )(value);
  }

  /** The function of one series, made once. */
  #recorder(
    metric: string,
    origin: ProcessOrigin,
    facts: Attributes,
    make: (attributes: Attributes) => (value: number) => void,
  ): (value: number) => void {
    const lock = this.#names.of(origin.lock);
    const { kind, mode, backend } = origin;
    let key = `${metric}|${lock}|${kind}|${mode}|${backend}`;
    for (const name in facts) key += `|${facts[name]}`;
    let recorder = this.#recorders.get(key);
    if (recorder === undefined) {
      recorder = make(attributesOf({ ...origin, lock }, facts));
      this.#recorders.set(key, recorder);
    }
    return recorder;
  }

  #usageOf(origin: EventOrigin): LockUsage {
    const lock = this.#names.of(origin.lock);
    const key = `${lock}|${origin.kind}|${origin.mode}`;
    let usage = this.#usages.get(key);
    if (usage === undefined) {
      usage = { attributes: attributesOf({ ...origin, lock }, {}), held: 0, waiting: 0 };
      this.#usages.set(key, usage);
    }
    return usage;
  }

  *#usage(field: 'held' | 'waiting'): Generator<readonly [Attributes, number]> {
    for (const usage of this.#usages.values()) yield [usage.attributes, usage[field]];
  }

  *#nodes(): Generator<readonly [Attributes, number]> {
    const backend = this.source.backend.name;
    for (const { id, isAvailable } of this.source.nodes()) {
      yield [{ 'bedrock.backend': backend, 'bedrock.node': id }, isAvailable ? 1 : 0];
    }
  }
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
