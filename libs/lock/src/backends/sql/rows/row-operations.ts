import type {
  Claim,
  ClaimRef,
  HeldRef,
  HolderView,
  RenewOutcome,
  Verdict,
  WithdrawOptions,
  WithdrawOutcome,
} from '../../../core/claim.js';
import type { ClockOffset } from '../../kit/clock-offset.js';
import type { RowOperation } from './row-executor.js';
import type { LockTable, RowAcquire } from './lock-table.js';
import { queueKeyOf, lifeUsOf, RowState } from './row-state.js';
import type { RowGrant } from './row-format.js';

/** A caller that waits for the answer to an operation. */
export interface DeferredAnswer<T> {
  readonly deadline: number;
  resolve(answer: T): void;
  reject(error: unknown): void;
}

export interface RowOperationDeps {
  readonly clockOffset: ClockOffset;
  readonly processId: string;
  /** A holder as callers see it. @param nowUs when it was seen */
  holderViewOf(grant: RowGrant, nowUs: number): HolderView;
}

export function claimOperation(
  claim: Claim,
  deps: RowOperationDeps,
  table: LockTable,
  deferred: DeferredAnswer<Verdict>,
): RowOperation {
  const { shape, resource, id, queue, tokens } = claim;
  const { mode, units, capacity } = shape;
  const { clockOffset, processId } = deps;
  const isShared = mode === 'shared';
  const acquire = async () => {
    const notAfterUs = clockOffset.earliestServerTime(claim.notAfter);
    // Nothing is spread here, nor where statements are made: for objects of this size that takes Node some 4 µs.
    const request: RowAcquire = {
      resource,
      id,
      key: queueKeyOf(claim),
      processId,
      units,
      capacity,
      isShared,
      queue,
      lifeUs: lifeUsOf(Math.max(claim.leaseMs, claim.holdAtLeastMs)),
      tokens,
      notAfterUs,
    };
    const answer = await table.acquire(request, deferred.deadline);
    if (!answer.done) return answer;
    if (answer.nowUs !== undefined) clockOffset.addSample(answer.nowUs);
    if (!('refused' in answer)) return () => deferred.resolve({ kind: 'granted', token: answer.firstToken });
    // The row that refused the claim names the holder in the way.
    const state = new RowState(resource, answer.refused, answer.nowUs);
    const verdict = verdictOf(state.refusalOf(claim, notAfterUs), state, deps);
    return () => deferred.resolve(verdict);
  };
  const isWhole = !isShared && units === capacity;
  return {
    deadline: deferred.deadline,
    needsRow: true,
    singleStatement: isWhole || table.decidesAll === true ? acquire : undefined,
    apply: (state) => {
      const notAfterUs = clockOffset.earliestServerTime(claim.notAfter);
      const verdict = state.claim(claim, notAfterUs);
      const answer = verdictOf(verdict, state, deps);
      return {
        settle: () => deferred.resolve(answer),
        notAfterUs: verdict.kind === 'granted' ? notAfterUs : Infinity,
      };
    },
    fail: (error) => deferred.reject(error),
  };
}

export function withdrawOperation(
  ref: ClaimRef,
  options: WithdrawOptions,
  { clockOffset, processId }: RowOperationDeps,
  table: LockTable,
  deferred: DeferredAnswer<WithdrawOutcome>,
): RowOperation {
  const { resource, id } = ref;
  return {
    deadline: deferred.deadline,
    needsRow: false,
    singleStatement:
      ref.shape.mode === 'shared' && table.decidesAll !== true
        ? undefined
        : async () => {
            const leavingKey = options.leaveQueue ? queueKeyOf(ref) : '';
            const isShared = ref.shape.mode === 'shared';
            const keepUs = lifeUsOf(options.keepMs);
            const answer = await table.release(
              { resource, id, isShared, keepUs, leavingKey },
              deferred.deadline,
            );
            if (!answer.done) return answer;
            if (answer.nowUs !== undefined) clockOffset.addSample(answer.nowUs);
            return () => deferred.resolve(answer.outcome ?? 'released');
          },
    apply: (state) => {
      const outcome = state.withdraw(ref, options, processId);
      return { settle: () => deferred.resolve(outcome), notAfterUs: Infinity };
    },
    fail: (error) => deferred.reject(error),
  };
}

export function renewOperation(held: HeldRef, deferred: DeferredAnswer<RenewOutcome>): RowOperation {
  return { ...stateOperation(deferred, (state) => state.renew(held)), isUrgent: true };
}

/** An operation that grants nothing and makes no row. */
export function stateOperation<T>(deferred: DeferredAnswer<T>, decide: (state: RowState) => T): RowOperation {
  return {
    deadline: deferred.deadline,
    needsRow: false,
    apply: (state) => {
      const answer = decide(state);
      return { settle: () => deferred.resolve(answer), notAfterUs: Infinity };
    },
    fail: (error) => deferred.reject(error),
  };
}

function verdictOf(
  verdict: ReturnType<RowState['claim']>,
  { nowUs }: RowState,
  deps: RowOperationDeps,
): Verdict {
  if (verdict.kind !== 'refused') return verdict;
  const { holder, retryInMs } = verdict;
  return {
    kind: 'refused',
    retryInMs,
    ...(holder !== undefined && { holder: deps.holderViewOf(holder, nowUs) }),
  };
}
