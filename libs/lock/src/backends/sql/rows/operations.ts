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
import type { DatabaseTime } from '../connection/database-time.js';
import type { Operation } from './lane.js';
import type { LockTable, Take } from './lock-table.js';
import { keyOf, lifeUsOf, Place } from './place.js';
import type { Grant } from './row-format.js';

/** Somebody who waits for the answer to an operation. */
export interface Asker<T> {
  readonly by: number;
  resolve(answer: T): void;
  reject(error: unknown): void;
}

export interface OperationGround {
  readonly time: DatabaseTime;
  readonly processId: string;
  /** A holder as callers see it. @param nowUs when it was seen */
  viewOf(grant: Grant, nowUs: number): HolderView;
}

export function claimOperation(
  claim: Claim,
  ground: OperationGround,
  table: LockTable,
  asker: Asker<Verdict>,
): Operation {
  const { shape, resource, id, queue, tokens } = claim;
  const { mode, units, capacity } = shape;
  const { time, processId } = ground;
  const isShared = mode === 'shared';
  const takeIn = async () => {
    const notAfterUs = time.notLaterThan(claim.notAfter);
    // Nothing is spread here, nor where statements are made: for objects of this size that takes Node some 4 µs.
    const take: Take = {
      resource,
      id,
      key: keyOf(claim),
      processId,
      units,
      capacity,
      isShared,
      queue,
      lifeUs: lifeUsOf(Math.max(claim.leaseMs, claim.holdAtLeastMs)),
      tokens,
      notAfterUs,
    };
    const answer = await table.take(take, asker.by);
    if (!answer.done) return answer;
    if (answer.nowUs !== undefined) time.learn(answer.nowUs);
    if (!('refused' in answer)) return () => asker.resolve({ kind: 'granted', token: answer.first });
    // What the row says is what a claim without a place in line would hear.
    const place = new Place(resource, answer.refused, answer.nowUs);
    const verdict = verdictOf(place.refusalOf(claim, notAfterUs), place, ground);
    return () => asker.resolve(verdict);
  };
  const isWhole = !isShared && units === capacity;
  return {
    by: asker.by,
    needsRow: true,
    inOne: isWhole || table.decidesAll === true ? takeIn : undefined,
    apply: (place) => {
      const notAfterUs = time.notLaterThan(claim.notAfter);
      const verdict = place.claim(claim, notAfterUs);
      const answer = verdictOf(verdict, place, ground);
      return {
        settle: () => asker.resolve(answer),
        notAfterUs: verdict.kind === 'granted' ? notAfterUs : Infinity,
      };
    },
    fail: (error) => asker.reject(error),
  };
}

export function withdrawOperation(
  ref: ClaimRef,
  options: WithdrawOptions,
  { time, processId }: OperationGround,
  table: LockTable,
  asker: Asker<WithdrawOutcome>,
): Operation {
  const { resource, id } = ref;
  return {
    by: asker.by,
    needsRow: false,
    inOne:
      ref.shape.mode === 'shared' && table.decidesAll !== true
        ? undefined
        : async () => {
            const leaver = options.leaveQueue ? keyOf(ref) : '';
            const isShared = ref.shape.mode === 'shared';
            const keepUs = lifeUsOf(options.keepMs);
            const answer = await table.give({ resource, id, isShared, keepUs, leaver }, asker.by);
            if (!answer.done) return answer;
            if (answer.nowUs !== undefined) time.learn(answer.nowUs);
            return () => asker.resolve(answer.outcome ?? 'released');
          },
    apply: (place) => {
      const outcome = place.withdraw(ref, options, processId);
      return { settle: () => asker.resolve(outcome), notAfterUs: Infinity };
    },
    fail: (error) => asker.reject(error),
  };
}

export function renewOperation(held: HeldRef, asker: Asker<RenewOutcome>): Operation {
  return placeOperation(asker, (place) => place.renew(held));
}

/** An operation that grants nothing and makes no row. */
export function placeOperation<T>(asker: Asker<T>, decide: (place: Place) => T): Operation {
  return {
    by: asker.by,
    needsRow: false,
    apply: (place) => {
      const answer = decide(place);
      return { settle: () => asker.resolve(answer), notAfterUs: Infinity };
    },
    fail: (error) => asker.reject(error),
  };
}

function verdictOf(verdict: ReturnType<Place['claim']>, { nowUs }: Place, ground: OperationGround): Verdict {
  if (verdict.kind !== 'refused') return verdict;
  const { holder, retryInMs } = verdict;
  return {
    kind: 'refused',
    retryInMs,
    ...(holder !== undefined && { holder: ground.viewOf(holder, nowUs) }),
  };
}
