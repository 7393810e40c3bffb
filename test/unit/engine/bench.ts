import {
  Bedrock,
  type Backend,
  type BedrockOptions,
  type Lease,
  type LockEventName,
  type LockEvents,
  type LockOptions,
  type Mutex,
} from 'bedrock-lock';
import { MUTEX, type Traits } from 'bedrock-lock/backend';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { FaultyBackend, ManualClock } from 'bedrock-testkit';

export { deferred } from '../../support/deferred.js';

export interface BenchOptions extends Partial<Omit<BedrockOptions, 'backend' | 'clock'>> {
  readonly traits?: Partial<Traits>;
}

/** Events of a lock and its callers. */
export const LOCK_EVENTS: readonly LockEventName[] = [
  'wait.started', 'wait.ended', 'claim.sent', 'lease.granted', 'lease.handedOver', 'lease.renewed',
  'lease.renewalFailed', 'lease.revoked', 'lease.lost', 'lease.released', 'queue.full', 'flow.leaked', 'backend.unavailable', 'loop.stalled',
]; // prettier-ignore

/** Time out of every verb of the memory backend, ms. */
export const OPERATION_MS = 1_000;

/** One Bedrock on a backend that fails on demand, a rival on the same store, and time that stands still. */
export class Bench {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore(this.clock);
  readonly backend: FaultyBackend;
  readonly inner: Backend;
  readonly bedrock: Bedrock;
  /** Another process. */
  readonly rival: Mutex;
  readonly #rivals: Bedrock;

  constructor({ traits = {}, ...options }: BenchOptions = {}) {
    const { clock, store } = this;
    this.inner = memory({ store, clock });
    this.backend = new FaultyBackend(this.inner, { clock, traits });
    this.bedrock = new Bedrock({ defaults: { leaseMs: 3_000 }, ...options, backend: this.backend, clock });
    this.#rivals = new Bedrock({ backend: memory({ store, clock }), clock });
    this.rival = this.#rivals.mutex('r');
  }

  lock(options?: LockOptions): Mutex {
    return this.bedrock.mutex('r', options);
  }

  /** The events of one kind, from now on. */
  told<N extends LockEventName>(event: N): LockEvents[N][] {
    const payloads: LockEvents[N][] = [];
    this.bedrock.on(event, (payload) => payloads.push(payload));
    return payloads;
  }

  /** Grants that the store knows, of all holders. */
  async grants(resource = 'r'): Promise<string[]> {
    const views = await this.#rivals.backend.leases.inspect(resource, MUTEX);
    return views.map(({ id }) => id);
  }

  async close(): Promise<void> {
    const closed = Promise.all([this.bedrock.close({ graceMs: 0 }), this.#rivals.close({ graceMs: 0 })]);
    await this.clock.advance(5 * OPERATION_MS);
    await closed;
  }
}

/** How a promise stands, without waiting for it. */
export interface Tracked<T> {
  state: 'pending' | 'fulfilled' | 'rejected';
  value?: T;
  error?: unknown;
  readonly settled: Promise<void>;
}

export function track<T>(promise: Promise<T>): Tracked<T> {
  const settled = promise.then(
    (value) => void Object.assign(tracked, { state: 'fulfilled', value }),
    (error: unknown) => void Object.assign(tracked, { state: 'rejected', error }),
  );
  const tracked: Tracked<T> = { state: 'pending', settled };
  return tracked;
}

/** The id of the claim behind a lease. */
export function claimIdOf(lease: Lease): string {
  return lease.id.replace(/\/.*/, '');
}
