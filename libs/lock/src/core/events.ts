import { channel, type Channel } from 'node:diagnostics_channel';
import type { ClaimMode } from './claim.js';
import { outsideOfCallers } from './context.js';
import type { LossReason } from './errors.js';
import { InvalidOptionError } from './errors.js';

/** How a lease ended; see `Lease.release()`. */
export type ReleaseEnd = 'released' | 'lost' | 'unconfirmed';

/** What `Lease.release()` answers. `deferred`: the end comes when what `Lease.holdUntil()` was given has settled. */
export type ReleaseOutcome = ReleaseEnd | 'deferred';

/** How the wait of a caller ended. `granted`: with its lease; the others: without one. */
export type WaitEnd = 'granted' | 'timedOut' | 'busy' | 'aborted' | 'closed' | 'unavailable';

/** What a process sends to a backend. */
export type RequestVerb =
  | 'claim' | 'renew' | 'release' | 'inspect' | 'revoke'
  | 'count' | 'take' | 'read'
  | 'begin' | 'complete' | 'abandon' | 'forget'; // prettier-ignore

/** How a request ended; `failed`: the backend answered with an error, such as that of a key of another type. */
export type RequestEnd = 'answered' | 'failed' | 'unavailable';

/** What an event comes from, where it is about no single resource. */
export interface ProcessOrigin {
  /** The name that the lock was created with; '' where there is none. Never a part of the key. */
  readonly lock: string;
  /** Its kind, such as `mutex`; '' where there is none. */
  readonly kind: string;
  /** What the backend calls itself, such as `redis`. */
  readonly backend: string;
  /** How the lock is claimed; '' where nothing is claimed. */
  readonly mode: ClaimMode;
}

/** What an event is about. */
export interface EventOrigin extends ProcessOrigin {
  /** The locked resource: prefix, name and the parts of the key. */
  readonly resource: string;
}

/** Every event with its payload. All times are in ms. */
export interface LockEvents {
  /**
   * A caller waits; `waiting` counts those in the queue of its process, and `waitId` is its own number there. `inCaller` runs
   * a function in the asynchronous context of the caller, as tracing needs it; it must not lock.
   */
  'wait.started': EventOrigin & {
    readonly waitId: number;
    readonly waiting: number;
    readonly inCaller: <R>(fn: () => R) => R;
  };
  /**
   * The wait of a caller has ended: once for each `wait.started`, at the grant or when the caller leaves. It might have
   * lasted `waitMs`.
   */
  'wait.ended': EventOrigin & {
    readonly waitId: number;
    readonly end: WaitEnd;
    readonly waitedMs: number;
    readonly waitMs: number;
  };
  /** A claim is sent to the backend; `tries` counts from 1. */
  'claim.sent': EventOrigin & { readonly id: string; readonly tries: number };
  /** A caller has its lease. */
  'lease.granted': EventOrigin & {
    readonly waitId: number;
    readonly leaseId: string;
    readonly token: number;
    readonly waitedMs: number;
    readonly tries: number;
    readonly handedOver: boolean;
  };
  /** A claim went to the next caller of this process without a round trip. */
  'lease.handedOver': EventOrigin & { readonly leaseId: string; readonly waitedMs: number };
  /** `marginMs` was left of the lease when its renewal was confirmed; now `remainingMs` are. */
  'lease.renewed': EventOrigin & {
    readonly leaseId: string;
    readonly leaseMs: number;
    readonly marginMs: number;
    readonly remainingMs: number;
  };
  /** A renewal has no answer. It is repeated; without one, the lease ends in `remainingMs`. */
  'lease.renewalFailed': EventOrigin & {
    readonly leaseId: string;
    readonly leaseMs: number;
    readonly remainingMs: number;
  };
  /** The backend refuses further renewals; the lease ends in `remainingMs`. */
  'lease.revoked': EventOrigin & { readonly leaseId: string; readonly remainingMs: number };
  'lease.lost': EventOrigin & {
    readonly leaseId: string;
    readonly heldMs: number;
    readonly reason: LossReason;
  };
  /** A caller gave its lease back. */
  'lease.released': EventOrigin & {
    readonly leaseId: string;
    readonly heldMs: number;
    readonly outcome: ReleaseEnd;
  };
  'queue.full': EventOrigin & {
    readonly limit: 'maxWaiters' | 'maxWaitersPerProcess';
    readonly max: number;
  };
  /** Holds that a flow left open were released at its end. */
  'flow.leaked': EventOrigin & { readonly depth: number };
  /** This process leads. */
  'leader.elected': EventOrigin & { readonly token: number };
  /** Leadership has ended before it was given up; the signal of the term has aborted. */
  'leader.lost': EventOrigin & {
    readonly token: number;
    readonly ledMs: number;
    readonly reason: LossReason;
  };
  /** Leadership was given back, after the body had ended. */
  'leader.resigned': EventOrigin & { readonly token: number; readonly ledMs: number };
  /** The body goes on `overdueMs` after its term was over. Until it ends, this process does not stand again. */
  'leader.overrun': EventOrigin & { readonly token: number; readonly overdueMs: number };
  /** The body ended with an error after its term was over, so that no caller gets it. */
  'leader.failed': EventOrigin & { readonly token: number; readonly error: unknown };
  /** A run under an idempotency key has begun. */
  'idempotency.begun': EventOrigin;
  /** A repeated request was answered with the stored result. */
  'idempotency.replayed': EventOrigin;
  /** A request was refused: the first one has not ended, or it was another one. */
  'idempotency.refused': EventOrigin & { readonly reason: 'inFlight' | 'mismatch' };
  /** A result is stored; of `bytes` 0 only that there was one, since it could not be. */
  'idempotency.completed': EventOrigin & { readonly tookMs: number; readonly bytes: number };
  /** A run has failed and left nothing: the next request under the key runs again. */
  'idempotency.abandoned': EventOrigin & { readonly tookMs: number };
  /** A run was overtaken by the end of its lease. */
  'idempotency.lost': EventOrigin & { readonly tookMs: number };
  /** A run has ended, and the backend does not answer: its result may not be stored. */
  'idempotency.unconfirmed': EventOrigin & { readonly error: Error };
  /** A body ran without a record, since the backend does not answer and `onUnavailable` is 'run'. */
  'idempotency.unprotected': EventOrigin & { readonly error: Error };
  'backend.unavailable': EventOrigin & { readonly error: Error; readonly retryInMs: number };
  /** A request to the backend has ended. A batch is one request: `resources` counts, and `resource` is '' for several. */
  'backend.request': EventOrigin & {
    readonly verb: RequestVerb;
    readonly resources: number;
    readonly durationMs: number;
    readonly end: RequestEnd;
  };
  /** A node of a combination does not answer, or refuses to serve: it is not asked until it does. */
  'node.unavailable': ProcessOrigin & { readonly node: string; readonly error: Error };
  /** A node may have lost its data, so it grants nothing for a while. */
  'node.quarantined': ProcessOrigin & { readonly node: string; readonly forMs: number };
  /** An unavailable node is used again. */
  'node.available': ProcessOrigin & { readonly node: string; readonly awayMs: number };
  /**
   * A node has lost a grant that is in use; `nodes` still have it, and the lease is lost when they
   * are less than `minNodes`.
   */
  'lease.degraded': EventOrigin & {
    readonly node: string;
    readonly nodes: number;
    readonly minNodes: number;
  };
  /** The event loop was late while `holds` locks were held: a renewal timer fired `lateMs` after its time. */
  'loop.stalled': ProcessOrigin & { readonly lateMs: number; readonly holds: number };
}

export type LockEventName = keyof LockEvents;
/** A payload without its origin; the mode is given where there is a claim. */
export type EventFacts<N extends LockEventName> = {
  [One in N]: Omit<LockEvents[One], keyof ProcessOrigin> & { readonly mode?: ClaimMode };
}[N];
type AnyListener = (payload: never) => void;

const NAMES: readonly LockEventName[] = [
  'wait.started', 'wait.ended', 'claim.sent', 'lease.granted', 'lease.handedOver', 'lease.renewed',
  'lease.renewalFailed', 'lease.revoked', 'lease.lost', 'lease.released', 'queue.full', 'flow.leaked', 'leader.elected', 'leader.lost',
  'leader.resigned', 'leader.overrun', 'leader.failed', 'idempotency.begun', 'idempotency.replayed', 'idempotency.refused',
  'idempotency.completed', 'idempotency.abandoned', 'idempotency.lost', 'idempotency.unconfirmed',
  'idempotency.unprotected', 'backend.unavailable', 'backend.request', 'node.unavailable',
  'node.quarantined', 'node.available', 'lease.degraded', 'loop.stalled',
]; // prettier-ignore

/** A chain of this many events, each caused by a listener of the one before, is taken for an endless one. */
const MAX_CHAIN = 10_000;

/** An event that a listener of another one has caused. */
interface CausedEvent {
  readonly topic: Topic;
  readonly payload: object;
  /** Its place in the chain. */
  readonly depth: number;
}

/**
 * Typed events, also published on `diagnostics_channel` as `bedrock:<event>`. Listeners only listen: one that throws
 * becomes a process warning and disturbs neither the lock nor the other listeners. All of them hear events in the same
 * order: what a listener causes is delivered after the event that it was told of.
 */
export class EventHub {
  readonly #topics = new Map<LockEventName, Topic>();
  readonly #caused: CausedEvent[] = [];
  /** Of the event that is delivered now; 0 while there is none. */
  #depth = 0;

  /** @param originOf where an event about this resource comes from, or one about no single resource */
  constructor(private readonly originOf: (resource: string | undefined) => Omit<ProcessOrigin, 'mode'>) {
    for (const name of NAMES) this.#topics.set(name, new Topic(name));
  }

  /** Subscribes; gives back the unsubscription. @throws InvalidOptionError on an unknown event or no function */
  on<N extends LockEventName>(name: N, listener: (payload: LockEvents[N]) => void): () => void {
    const topic = this.#topics.get(name);
    if (topic === undefined) throw new InvalidOptionError('event', `one of ${namesLike(name)}`, name);
    if (typeof listener !== 'function') throw new InvalidOptionError('listener', 'a function', listener);
    // A wrapper, so that the same function may be registered twice and removed once.
    const entry = (payload: never): void => listener(payload);
    topic.listeners.add(entry);
    return () => void topic.listeners.delete(entry);
  }

  /** True when an event has listeners: callers build the payload only then. */
  hasListeners(name: LockEventName): boolean {
    return this.#topics.get(name)!.isHeard;
  }

  /** @param facts an object of its own: it becomes the payload */
  emit<N extends LockEventName>(name: N, facts: EventFacts<N>): void {
    const topic = this.#topics.get(name)!;
    if (!topic.isHeard) return;
    const { lock, kind, backend } = this.originOf((facts as { readonly resource?: string }).resource);
    // Completed in place: a copy would cost more than the rest of an event.
    const payload = facts as unknown as { -readonly [F in keyof ProcessOrigin]: ProcessOrigin[F] };
    payload.lock = lock;
    payload.kind = kind;
    payload.backend = backend;
    payload.mode ??= '';
    const depth = this.#depth + 1;
    if (depth === 1) outsideOfCallers(this.#deliverAll, topic, payload);
    else if (depth <= MAX_CHAIN) this.#caused.push({ topic, payload, depth });
    else warn(new Error(`"${topic.name}" causes itself; it was not delivered again`));
  }

  readonly #deliverAll = (first: Topic, payload: object): void => {
    this.#depth = 1;
    try {
      first.deliver(payload);
      // The array grows on the way.
      for (const caused of this.#caused) {
        this.#depth = caused.depth;
        caused.topic.deliver(caused.payload);
      }
    } finally {
      // Also after a stack overflow, or no event would be delivered any more.
      this.#caused.length = 0;
      this.#depth = 0;
    }
  };
}

/** The listeners of one event. */
class Topic {
  readonly listeners = new Set<AnyListener>();
  readonly #channel: Channel;

  constructor(readonly name: LockEventName) {
    this.#channel = channel(`bedrock:${name}`);
  }

  get isHeard(): boolean {
    return this.listeners.size > 0 || this.#channel.hasSubscribers;
  }

  deliver(payload: object): void {
    for (const listener of this.listeners) notify(listener as (payload: object) => unknown, payload);
    if (this.#channel.hasSubscribers) this.#channel.publish(payload);
  }
}

/** Names of the same kind. For an unknown kind, the kinds, since all names would be too many. */
function namesLike(name: unknown): string {
  const kindOf = (one: string): string => one.slice(0, one.indexOf('.') + 1);
  const like = NAMES.filter((one) => typeof name === 'string' && name.startsWith(kindOf(one)));
  if (like.length > 0) return like.join(', ');
  return Array.from(new Set(NAMES.map(kindOf)), (kind) => `${kind}…`).join(', ');
}

function notify<P>(listener: (payload: P) => unknown, payload: P): void {
  try {
    const result = listener(payload);
    if (result instanceof Promise) result.catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  process.emitWarning(
    `a lock event listener failed: ${error instanceof Error ? error.message : 'no error given'}`,
    { type: 'BedrockWarning', code: 'BEDROCK_LISTENER' },
  );
}
