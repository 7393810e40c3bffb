import { isAdmitted } from '../../../core/admission.js';
import type { Claim, ClaimRef, HeldRef, RenewOutcome, Shape } from '../../../core/claim.js';
import type { WithdrawOptions, WithdrawOutcome } from '../../../core/claim.js';
import { QUEUE_TIMING } from '../../../core/queue-timing.js';
import type { LockRow } from './lock-row.js';
import type { RowNotification, RowUpdate } from './lock-table.js';
import {
  waitersFrom,
  grantsFrom,
  encodeGrants,
  encodeWaiters,
  type RowGrant,
  type RowWaiter,
} from './row-format.js';

const US = 1_000;
/** A head without a sign for this long counts as dead, µs. */
export const HEAD_LIFE_US = QUEUE_TIMING.headLifeMs * US;
/** A waiter that is back so soon was only slow, and has its old position, µs. */
export const ENTRY_LIFE_US = QUEUE_TIMING.rowEntryLifeMs * US;

/** The row's answer to a claim. */
export type RowVerdict =
  | { readonly kind: 'granted'; readonly token: number }
  | { readonly kind: 'refused'; readonly retryInMs: number; readonly holder: RowGrant | undefined }
  | { readonly kind: 'stale' };

/**
 * The verbs on one row, like those of the memory backend. They are decided here, and written back
 * only if the row is still the one that was read. A grant that had ended when it was read has ended
 * for good. So a decision stays right for as long as the version is the same.
 */
export class RowState {
  #grants: RowGrant[];
  #waiters: RowWaiter[];
  #token: number;
  #isChanged = false;
  readonly #notifications: RowNotification[] = [];

  /** @param nowUs when the row was read, by the database's clock */
  constructor(
    private readonly resource: string,
    private readonly row: LockRow | undefined,
    readonly nowUs: number,
  ) {
    this.#grants = grantsFrom(row).filter(({ untilUs }) => untilUs > nowUs);
    this.#waiters = waitersFrom(row).filter(({ seenUs }) => nowUs - seenUs <= ENTRY_LIFE_US);
    this.#token = row?.token ?? 0;
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  get grants(): readonly RowGrant[] {
    return this.#grants;
  }

  /** Living waiters in the queue. */
  get waiters(): number {
    return this.#waiters.filter((waiter) => this.#isAlive(waiter)).length;
  }

  /** @param notAfterUs by the database's clock */
  claim(claim: Claim, notAfterUs: number): RowVerdict {
    if (this.nowUs > notAfterUs) return { kind: 'stale' };
    const { id, shape } = claim;
    const key = queueKeyOf(claim);
    const untilUs = this.nowUs + lifeUsOf(Math.max(claim.leaseMs, claim.holdAtLeastMs));
    // A repeat after a lost reply is granted again; a revoked grant gets no new life by it.
    const known = this.#grants.find((grant) => grant.id === id);
    if (known !== undefined && !known.revoked) {
      this.#updateGrant(known, { untilUs: Math.max(known.untilUs, untilUs) });
      return { kind: 'granted', token: this.#takeTokens(claim.tokens) };
    }
    const position = this.#waiters.findIndex((waiter) => waiter.key === key);
    const before = position < 0 ? this.#waiters : this.#waiters.slice(0, position);
    const ahead = before.filter((waiter) => this.#isAlive(waiter));
    if (known === undefined && isAdmitted(shape, this.#grants, ahead)) {
      if (position >= 0) this.#waiters.splice(position, 1);
      const { mode, units } = shape;
      this.#grants.push({ id, mode, units, untilUs, depth: 1, revoked: false });
      this.#isChanged = true;
      this.#wakeNext();
      return { kind: 'granted', token: this.#takeTokens(claim.tokens) };
    }
    if (claim.queue) this.#enqueue(key, claim, position);
    return this.#refusal(ahead);
  }

  /** The refusal for a claim that was refused when the row was read. */
  refusalOf(claim: Claim, notAfterUs: number): RowVerdict {
    if (this.nowUs > notAfterUs) return { kind: 'stale' };
    const at = this.#waiters.findIndex(({ key }) => key === queueKeyOf(claim));
    return this.#refusal(
      (at < 0 ? this.#waiters : this.#waiters.slice(0, at)).filter((one) => this.#isAlive(one)),
    );
  }

  renew(held: HeldRef): RenewOutcome {
    let grant = this.#grants.find(({ id }) => id === held.id);
    if (grant === undefined) return 'lost';
    const { mode, units } = held.shape;
    if (units < grant.units) {
      grant = this.#updateGrant(grant, { mode, units });
      this.#wakeNext();
    }
    if (grant.revoked) return 'revoked';
    const untilUs = this.nowUs + lifeUsOf(Math.max(held.leaseMs, held.keepMs));
    if (untilUs > grant.untilUs) this.#updateGrant(grant, { untilUs });
    return 'renewed';
  }

  /** @param processId whose entry in the queue is removed too, with `leaveQueue` */
  withdraw(ref: ClaimRef, { keepMs, leaveQueue }: WithdrawOptions, processId: string): WithdrawOutcome {
    const head = this.#head;
    if (leaveQueue) this.#dequeue((key) => key === ref.id || key === processId);
    const grant = this.#grants.find(({ id }) => id === ref.id);
    if (grant !== undefined && keepMs > 0) {
      this.#updateGrant(grant, { untilUs: Math.min(grant.untilUs, this.nowUs + lifeUsOf(keepMs)) });
    } else if (grant !== undefined) {
      this.#grants = this.#grants.filter((one) => one !== grant);
      this.#isChanged = true;
      this.#wakeNext();
      return 'released';
    }
    if (this.#head !== head) this.#wakeNext();
    return grant === undefined ? 'absent' : 'released';
  }

  annotate(id: string, depth: number): void {
    const grant = this.#grants.find((one) => one.id === id);
    if (grant !== undefined && grant.depth !== depth) this.#updateGrant(grant, { depth });
  }

  /** @param holder the claim id of the only grant that is meant */
  revoke(how: 'atExpiry' | 'now', holder: string | undefined): boolean {
    const { resource } = this;
    const isMeant = ({ id }: RowGrant): boolean => holder === undefined || id === holder;
    if (!this.#grants.some(isMeant)) return false;
    this.#isChanged = true;
    this.#grants =
      how === 'now'
        ? this.#grants.filter((grant) => !isMeant(grant))
        : this.#grants.map((grant) => (isMeant(grant) ? { ...grant, revoked: true } : grant));
    this.#notifications.push({ kind: 'suspect', resource });
    if (how === 'now') this.#wakeNext();
    return true;
  }

  /** The row as it is to be. @param notAfterUs by the database's clock */
  update(notAfterUs: number): RowUpdate {
    const { resource } = this;
    const [only] = this.#grants;
    const isFlat = this.#grants.length === 1 && only?.mode === 'exclusive';
    const flat = isFlat ? only : { id: '', untilUs: 0, units: 0, depth: 0, revoked: false };
    const { id: holder, untilUs, units, depth, revoked } = flat;
    return {
      expectedVersion: this.row?.version ?? 0,
      row: {
        ...{ resource, holder, untilUs, units, depth, revoked },
        token: this.#token,
        endsUs: this.#endsUs(),
        crowd: isFlat ? null : encodeGrants(this.#grants),
        line: encodeWaiters(this.#waiters),
      },
      notAfterUs,
      notifications: this.#notifications,
    };
  }

  /** The first in the queue with a recent sign of life. */
  get #head(): RowWaiter | undefined {
    return this.#waiters.find((waiter) => this.#isAlive(waiter));
  }

  #isAlive({ seenUs }: RowWaiter): boolean {
    return this.nowUs - seenUs <= HEAD_LIFE_US;
  }

  #endsUs(): number {
    const ends = this.#grants.map(({ untilUs }) => untilUs);
    const deaths = this.#waiters.map(({ seenUs }) => seenUs + HEAD_LIFE_US);
    return Math.max(0, ...ends, ...deaths);
  }

  #enqueue(key: string, { id, shape }: Claim, position: number): void {
    const { units, capacity } = shape;
    // It may ask for something else than before, in the same position.
    const waiter = { key, processId: processIdOf(id), units, capacity, seenUs: this.nowUs };
    this.#waiters[position < 0 ? this.#waiters.length : position] = waiter;
    this.#isChanged = true;
  }

  #dequeue(isLeaving: (key: string) => boolean): void {
    const left = this.#waiters.filter(({ key }) => !isLeaving(key));
    if (left.length === this.#waiters.length) return;
    this.#waiters = left;
    this.#isChanged = true;
  }

  #updateGrant(grant: RowGrant, change: Partial<RowGrant>): RowGrant {
    const changed = { ...grant, ...change };
    this.#grants[this.#grants.indexOf(grant)] = changed;
    this.#isChanged = true;
    return changed;
  }

  /** Wakes the head of the queue if there is room for it. */
  #wakeNext(): void {
    const head = this.#head;
    if (head === undefined || !isAdmitted(head, this.#grants, [])) return;
    const { key, processId } = head;
    const claimId = key === processId ? undefined : key;
    this.#notifications.push({ kind: 'wake', resource: this.resource, processId, claimId });
  }

  #refusal(ahead: readonly RowWaiter[]): RowVerdict {
    const [holder] = this.#grants;
    const seenUs = ahead[0]?.seenUs ?? this.nowUs;
    const endUs =
      holder === undefined
        ? seenUs + HEAD_LIFE_US + US
        : Math.min(...this.#grants.map(({ untilUs }) => untilUs));
    return { kind: 'refused', retryInMs: (endUs - this.nowUs) / US, holder };
  }

  #takeTokens(count: number): number {
    if (count === 0) return 0;
    const first = Math.max(this.#token, this.nowUs) + 1;
    this.#token = first + count - 1;
    this.#isChanged = true;
    return first;
  }
}

/** What a claim waits in the queue as: processes take turns, and callers who are served in order of arrival. */
export function queueKeyOf({ id, shape }: { readonly id: string; readonly shape: Shape }): string {
  return shape.order === 'fifo' ? id : processIdOf(id);
}

/** The process that a claim id begins with. */
export function processIdOf(claimId: string): string {
  return claimId.slice(0, claimId.lastIndexOf(':'));
}

/** Whole µs, rounded up. */
export function lifeUsOf(ms: number): number {
  return Math.ceil(ms * US);
}
