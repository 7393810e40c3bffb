import type { Clock } from '../../core/clock.js';
import type { Counter, OperationId, PermitRequest, TakeResult } from '../../core/ports/counting.js';
import { BackendUnavailableError, LockTypeMismatchError } from '../../core/errors.js';
import type { Unsubscribe } from '../../core/ports/ports.js';
import { WakerMap } from '../kit/waker-map.js';

/** Most answers that are remembered: only tests lose answers here. */
const MAX_ANSWERS = 10_000;

interface RememberedAnswer {
  readonly answer: number;
  readonly until: number;
}

/**
 * Keeps latches and semaphores as a server would: numbers, leases of permits, and answers for
 * repeated requests.
 */
export class MemoryCountStore {
  readonly #numbers = new Map<string, number>();
  readonly #leases = new Map<string, Map<string, number>>();
  readonly #answers = new Map<string, RememberedAnswer>();
  readonly #wakers = new WakerMap();

  constructor(
    private readonly clock: Clock,
    private readonly isLocked: (resource: string) => boolean,
  ) {}

  read(resource: string): number {
    this.#assertNoLock(resource);
    this.#reclaim(resource);
    return this.#numbers.get(resource) ?? 0;
  }

  create({ kind, resource }: Counter, value: number, operation: OperationId): boolean {
    const created = this.#executeOnce(resource, operation, () => {
      if (this.#numbers.has(resource)) return 0;
      this.#numbers.set(resource, value);
      this.#wake(kind, resource);
      return 1;
    });
    return created === 1;
  }

  add({ kind, resource }: Counter, delta: number, operation: OperationId): number {
    return this.#executeOnce(resource, operation, () => {
      const before = this.#numbers.get(resource);
      if (kind === 'semaphore') return this.#addPermits(resource, delta);
      if (before === undefined) return 0;
      const left = Math.max(0, before + delta);
      this.#numbers.set(resource, left);
      if (left === 0) this.#open(resource);
      return left;
    });
  }

  clear({ kind, resource }: Counter, operation: OperationId): number {
    return this.#executeOnce(resource, operation, () => {
      const before = this.#numbers.get(resource) ?? 0;
      if (kind === 'latch' && before > 0) this.#open(resource);
      if (kind === 'semaphore' && before !== 0) this.#numbers.set(resource, 0);
      return before;
    });
  }

  take(resource: string, requests: readonly number[], operation: OperationId): TakeResult {
    const served = this.#executeOnce(resource, operation, () => {
      let count = 0;
      for (const permits of requests) {
        const free = this.read(resource);
        if (permits > free) break;
        this.#numbers.set(resource, free - permits);
        count += 1;
      }
      return count;
    });
    return { served, free: this.read(resource), retryInMs: Infinity };
  }

  undo(resource: string, requests: readonly number[], operation: OperationId): void {
    const served = this.#answers.get(answerKey(resource, operation))?.answer ?? 0;
    if (served > 0) this.#addPermits(resource, sum(requests.slice(0, served)));
    this.#remember(resource, operation, 0);
  }

  takePermits(resource: string, requests: readonly PermitRequest[], operation: OperationId): TakeResult {
    let served = 0;
    // A remembered answer means that the undo arrived before this request.
    if (this.#answers.get(answerKey(resource, operation)) === undefined) {
      this.#assertFresh(operation);
      while (served < requests.length && this.#grant(resource, requests[served]!)) served += 1;
    }
    const free = this.read(resource);
    let nextEnd = Infinity;
    if (served < requests.length)
      for (const end of this.#leases.get(resource)?.values() ?? []) nextEnd = Math.min(nextEnd, end);
    return { served, free, retryInMs: nextEnd - this.clock.now() };
  }

  extendPermit(resource: string, id: string, leaseMs: number, operation: OperationId): boolean {
    this.#assertFresh(operation);
    this.read(resource);
    const leases = this.#leases.get(resource);
    if (leases?.has(id) !== true) return false;
    leases.set(id, this.clock.now() + leaseMs);
    return true;
  }

  releasePermits(resource: string, ids: readonly string[], operation: OperationId): number {
    return this.#executeOnce(resource, operation, () => {
      this.#reclaim(resource);
      const leases = this.#leases.get(resource);
      const released = ids.filter((id) => leases?.delete(id) === true).length;
      if (leases?.size === 0) this.#leases.delete(resource);
      if (released > 0) this.#addPermits(resource, released);
      return released;
    });
  }

  watch(kind: Counter['kind'], resource: string, wake: () => void): Unsubscribe {
    return this.#wakers.add(`${kind}:${resource}`, wake);
  }

  #grant(resource: string, { ids, leaseMs }: PermitRequest): boolean {
    const free = this.read(resource);
    const leases = this.#leases.get(resource) ?? new Map<string, number>();
    const missing = ids.filter((id) => !leases.has(id)).length;
    if (missing > free) return false;
    this.#numbers.set(resource, free - missing);
    this.#leases.set(resource, leases);
    for (const id of ids) leases.set(id, this.clock.now() + leaseMs);
    return true;
  }

  #reclaim(resource: string): void {
    const leases = this.#leases.get(resource);
    if (leases === undefined) return;
    const now = this.clock.now();
    let expired = 0;
    for (const [id, until] of leases) if (until <= now && leases.delete(id)) expired += 1;
    if (leases.size === 0) this.#leases.delete(resource);
    if (expired > 0) this.#addPermits(resource, expired);
  }

  #addPermits(resource: string, permits: number): number {
    const free = (this.#numbers.get(resource) ?? 0) + permits;
    this.#numbers.set(resource, free);
    if (permits > 0 && free > 0) this.#wake('semaphore', resource);
    return free;
  }

  #open(latch: string): void {
    this.#numbers.delete(latch);
    this.#wake('latch', latch);
  }

  #wake(kind: Counter['kind'], resource: string): void {
    this.#wakers.wake(`${kind}:${resource}`);
  }

  /** Executes once, and gives repetitions the first answer. */
  #executeOnce(resource: string, operation: OperationId, act: () => number): number {
    this.#assertNoLock(resource);
    const remembered = this.#answers.get(answerKey(resource, operation));
    if (remembered !== undefined) return remembered.answer;
    this.#assertFresh(operation);
    const answer = act();
    this.#remember(resource, operation, answer);
    return answer;
  }

  #remember(resource: string, operation: OperationId, answer: number): void {
    const key = answerKey(resource, operation);
    this.#answers.delete(key);
    this.#answers.set(key, { answer, until: this.clock.now() + operation.keepMs });
    for (const [oldest, { until }] of this.#answers) {
      if (this.#answers.size <= MAX_ANSWERS && until > this.clock.now()) break;
      this.#answers.delete(oldest);
    }
  }

  #assertFresh({ notAfter }: OperationId): void {
    if (this.clock.now() > notAfter) throw new BackendUnavailableError('memory', 'a stale request', 'no');
  }

  #assertNoLock(resource: string): void {
    if (this.isLocked(resource)) throw new LockTypeMismatchError(resource, 'a lock');
  }
}

function answerKey(resource: string, { id }: OperationId): string {
  return `${id} ${resource}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
