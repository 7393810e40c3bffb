import {
  context,
  createContextKey,
  SpanStatusCode,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import type { ClaimMode } from '../core/claim.js';
import type { EventOrigin, LockEventName, LockEvents } from '../core/events.js';
import type { MetricSource } from './lock-metrics.js';
import { outcomeName } from './metric-catalog.js';

/** The function that a lock is taken for, in the context of its caller. */
const CODE_FUNCTION = createContextKey('bedrock code.function.name');

/**
 * Runs `fn` so that the spans of locks inside name a function, as `OrdersService.pay`.
 */
export function withCodeFunction<R>(name: string, fn: () => R): R {
  return context.with(context.active().setValue(CODE_FUNCTION, name), fn);
}

/** A wait whose span is recorded. */
interface TracedWait {
  readonly span: Span;
  /** The context of the caller. */
  readonly parent: Context;
}

/** A hold that waits may link to. */
interface TracedHold {
  readonly leaseId: string;
  readonly mode: ClaimMode;
  readonly context: SpanContext;
}

/**
 * Spans for waits and holds, as children of the caller's span. A wait links to the hold of this process that it waits for. A
 * wait that is not sampled costs no more than the question.
 */
export class LockTraces {
  readonly #waits = new Map<number, TracedWait>();
  /** By lease id. */
  readonly #holds = new Map<string, Span>();
  /** The latest hold of this process, by resource. */
  readonly #holders = new Map<string, TracedHold>();
  readonly #subscriptions: (() => void)[];

  constructor(
    source: MetricSource,
    private readonly tracer: Tracer,
  ) {
    const on = <N extends LockEventName>(event: N, listener: (payload: LockEvents[N]) => void) =>
      source.on(event, listener);
    this.#subscriptions = [
      on('wait.started', (event) => this.#onWaitStarted(event)),
      on('wait.ended', (event) => this.#onWaitEnded(event)),
      on('lease.granted', (event) => this.#onGranted(event)),
      on('lease.renewed', (event) => this.#addEvent(event, 'renewed', { margin_ms: event.marginMs })),
      on('lease.renewalFailed', (event) =>
        this.#addEvent(event, 'renewal_failed', { remaining_ms: event.remainingMs }),
      ),
      on('lease.revoked', (event) => this.#addEvent(event, 'revoked', { remaining_ms: event.remainingMs })),
      on('lease.released', (event) => this.#endHold(event, event.outcome)),
      on('lease.lost', (event) => this.#endHold(event, 'lost', `lost: ${outcomeName(event.reason)}`)),
    ];
  }

  stop(): void {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    for (const { span } of this.#waits.values()) span.end();
    for (const span of this.#holds.values()) span.end();
    this.#waits.clear();
    this.#holds.clear();
    this.#holders.clear();
  }

  #onWaitStarted(event: LockEvents['wait.started']): void {
    const parent = event.inCaller(() => context.active());
    const holder = this.#holders.get(event.resource);
    const attributes = attributesOf(event, parent);
    // A reader does not wait for other readers.
    const isInTheWay = holder !== undefined && !(event.mode === 'read' && holder.mode === 'read');
    const links = isInTheWay ? [{ context: holder.context }] : [];
    const span = this.tracer.startSpan('bedrock.lock.wait', { attributes, links }, parent);
    if (span.isRecording()) this.#waits.set(event.waitId, { span, parent });
  }

  #onWaitEnded({ waitId, end }: LockEvents['wait.ended']): void {
    const wait = this.#waits.get(waitId);
    if (wait === undefined) return;
    wait.span.setAttribute('bedrock.outcome', outcomeName(end));
    if (end === 'timedOut' || end === 'unavailable')
      wait.span.setStatus({ code: SpanStatusCode.ERROR, message: outcomeName(end) });
    wait.span.end();
    // Its leases are published in this turn.
    if (end === 'granted') queueMicrotask(() => this.#waits.delete(waitId));
    else this.#waits.delete(waitId);
  }

  #onGranted(event: LockEvents['lease.granted']): void {
    const wait = this.#waits.get(event.waitId);
    if (wait === undefined) return;
    const { resource, leaseId } = event;
    const attributes = {
      ...attributesOf(event, wait.parent),
      'bedrock.lease.token': event.token,
      'bedrock.lease.handed_over': event.handedOver,
      'bedrock.lease.tries': event.tries,
    };
    const links = [{ context: wait.span.spanContext() }];
    const span = this.tracer.startSpan('bedrock.lock.hold', { attributes, links }, wait.parent);
    if (event.handedOver) span.addEvent('handed_over');
    this.#holds.set(leaseId, span);
    this.#holders.set(resource, { leaseId, mode: event.mode, context: span.spanContext() });
  }

  #addEvent({ leaseId }: { readonly leaseId: string }, name: string, attributes: Attributes): void {
    this.#holds.get(leaseId)?.addEvent(name, attributes);
  }

  #endHold(event: EventOrigin & { readonly leaseId: string }, outcome: string, loss?: string): void {
    const { leaseId, resource } = event;
    const span = this.#holds.get(leaseId);
    if (span === undefined) return;
    span.setAttribute('bedrock.outcome', outcome);
    if (loss !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: loss });
    span.end();
    this.#holds.delete(leaseId);
    if (this.#holders.get(resource)?.leaseId === leaseId) this.#holders.delete(resource);
  }
}

function attributesOf({ lock, kind, mode, backend }: EventOrigin, parent: Context): Attributes {
  const codeFunction = parent.getValue(CODE_FUNCTION);
  return {
    'bedrock.lock.name': lock,
    'bedrock.lock.kind': kind,
    'bedrock.lock.mode': mode,
    'bedrock.backend': backend,
    ...(typeof codeFunction === 'string' && { 'code.function.name': codeFunction }),
  };
}
