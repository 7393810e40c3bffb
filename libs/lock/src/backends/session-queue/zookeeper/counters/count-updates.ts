import type { Counter, OperationId, PermitRequest, TakeResult } from '../../../../core/ports/counting.js';
import type { CountState } from './count-state.js';

/** A change of one number at an instant of the leader's clock. It may run several times; the written run counts. */
export type CountUpdate<T> = (state: CountState, nowMs: number) => T;

export function create({ kind }: Counter, value: number, operation: OperationId): CountUpdate<boolean> {
  return (state, nowMs) => {
    const stored = state.storedAnswer(operation.id);
    if (stored !== undefined) return stored === 1;
    if (state.valueOf(kind) !== undefined) return false;
    state.set(kind, value);
    recordAnswer(state, operation, nowMs, 1);
    return true;
  };
}

export function add({ kind }: Counter, delta: number, operation: OperationId): CountUpdate<number> {
  return once(operation, (state) => {
    const before = state.valueOf(kind);
    if (kind === 'semaphore') state.set(kind, (before ?? 0) + delta);
    else if (before !== undefined) state.set(kind, before + delta > 0 ? before + delta : undefined);
    return state.valueOf(kind) ?? 0;
  });
}

export function clear({ kind }: Counter, operation: OperationId): CountUpdate<number> {
  return once(operation, (state) => {
    const before = state.valueOf(kind) ?? 0;
    if (before !== 0) state.set(kind, kind === 'latch' ? undefined : 0);
    return before;
  });
}

export function take(wants: readonly number[], operation: OperationId): CountUpdate<TakeResult> {
  return (state, nowMs) => {
    let free = state.valueOf('semaphore') ?? 0;
    let served = state.storedAnswer(operation.id) ?? 0;
    if (state.storedAnswer(operation.id) === undefined) {
      while (served < wants.length && wants[served]! <= free) free -= wants[served++]!;
      if (served > 0) {
        state.set('semaphore', free);
        recordAnswer(state, operation, nowMs, served);
      }
    }
    return { served, free, retryInMs: Infinity };
  };
}

/** Leaves a mark, so that a `take` under the same operation that comes later takes nothing. */
export function undo(wants: readonly number[], operation: OperationId): CountUpdate<void> {
  return (state, nowMs) => {
    const served = state.storedAnswer(operation.id) ?? 0;
    const permits = wants.slice(0, served).reduce((sum, one) => sum + one, 0);
    if (permits > 0) state.set('semaphore', (state.valueOf('semaphore') ?? 0) + permits);
    recordAnswer(state, operation, nowMs, 0);
  };
}

/** Permits that are free, those included whose lease has ended. */
export function free(state: CountState, nowMs: number): number {
  reclaim(state, nowMs);
  return state.valueOf('semaphore') ?? 0;
}

export function takePermits(
  wants: readonly PermitRequest[],
  operation: OperationId,
): CountUpdate<TakeResult> {
  return (state, nowMs) => {
    let left = free(state, nowMs);
    let served = 0;
    // A stored answer says that it was undone before it came.
    const mayTake = state.storedAnswer(operation.id) === undefined;
    for (const { ids, leaseMs } of mayTake ? wants : []) {
      const missing = ids.filter((id) => !state.leases.has(id)).length;
      if (missing > left) break;
      left -= missing;
      served += 1;
      for (const id of ids) state.leases.set(id, nowMs + leaseMs);
    }
    if (served > 0) state.set('semaphore', left);
    const nextEnd = served < wants.length ? Math.min(...state.leases.values()) : Infinity;
    return { served, free: left, retryInMs: nextEnd - nowMs };
  };
}

export function extendPermit(id: string, leaseMs: number): CountUpdate<boolean> {
  return (state, nowMs) => {
    const before = free(state, nowMs);
    if (!state.leases.has(id)) return false;
    state.leases.set(id, nowMs + leaseMs);
    state.set('semaphore', before);
    return true;
  };
}

/** Leaves a mark, as `undo`. */
export function releasePermits(ids: readonly string[], operation: OperationId): CountUpdate<number> {
  return (state, nowMs) => {
    const stored = state.storedAnswer(operation.id);
    if (stored !== undefined) return stored;
    const before = free(state, nowMs);
    const released = ids.filter((id) => state.leases.delete(id)).length;
    if (released > 0) state.set('semaphore', before + released);
    recordAnswer(state, operation, nowMs, released);
    return released;
  };
}

function reclaim(state: CountState, nowMs: number): void {
  let ended = 0;
  for (const [id, end] of state.leases) if (end <= nowMs && state.leases.delete(id)) ended += 1;
  if (ended > 0) state.set('semaphore', (state.valueOf('semaphore') ?? 0) + ended);
}

/**
 * Executes once, and gives repetitions the first answer. If nothing changed, no answer is stored.
 */
function once(operation: OperationId, act: CountUpdate<number>): CountUpdate<number> {
  return (state, nowMs) => {
    const stored = state.storedAnswer(operation.id);
    if (stored !== undefined) return stored;
    const { changes } = state;
    const answer = act(state, nowMs);
    if (state.changes > changes) recordAnswer(state, operation, nowMs, answer);
    return answer;
  };
}

function recordAnswer(state: CountState, { id, keepMs }: OperationId, nowMs: number, answer: number): void {
  state.storeAnswer(id, answer, nowMs + keepMs);
}
