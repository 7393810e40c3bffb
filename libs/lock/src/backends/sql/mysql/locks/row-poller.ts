import { isAdmitted } from '../../../../core/admission.js';
import type { Clock } from '../../../../core/clock.js';
import { EarliestTimer } from '../../../../runtime/earliest-timer.js';
import type { Unsubscribe, Waker } from '../../../../core/ports/ports.js';
import { WakerMap } from '../../../kit/waker-map.js';
import type { LockRow } from '../../rows/lock-row.js';
import type { RowUpdate, RowsSnapshot } from '../../rows/lock-table.js';
import { HEAD_LIFE_US, processIdOf } from '../../rows/row-state.js';
import { grantsFrom, waitersFrom, type RowGrant, type RowWaiter } from '../../rows/row-format.js';
import type { SqlWakeSource } from '../../sql-backend.js';
import { notExecuted } from '../connection/failures.js';

/** First pause before a row is polled whose queue this process heads, in ms. Later pauses grow. */
const FIRST_MS = 5;
const LAST_MS = 40;
const GROWTH = 1.5;
/** Rows of locks that this process has are checked this often, in ms: another process may have freed one by force. */
const HELD_MS = 250;
/** Pause after a poll that failed, in ms. */
const FAILURE_PAUSE_MS = 250;

export interface RowPollerDeps {
  readonly clock: Clock;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  read(resources: readonly string[], deadline: number): Promise<RowsSnapshot>;
  onSuspect(resource: string): void;
}

/** A row in whose queue this process waits. */
interface WaitedRow {
  /** It is looked at again then, local ms. */
  dueAt: number;
  pauseMs: number;
  /** The version that a waiter was woken for: once is enough. */
  wokenVersion: number;
  /** The waiter that was woken last. */
  wokenKey: string;
}

/**
 * The server reports no free lock. So this process looks, for all of its waiters in one statement,
 * and only at rows in whose queue it waits: often where it is the next, less often where others are
 * before it or where nothing happens for long.
 */
export class RowPoller implements SqlWakeSource {
  /** The statements are counted where they are sent. */
  readonly commands = 0;
  readonly #wakers = new WakerMap();
  readonly #waitedRows = new Map<string, WaitedRow>();
  readonly #held = new Set<string>();
  #heldDueAt = 0;
  readonly #timer: EarliestTimer;
  #isPolling = false;
  #isClosed = false;

  constructor(private readonly deps: RowPollerDeps) {
    this.#timer = new EarliestTimer(deps.clock, () => void this.#poll());
  }

  start(): void {
    this.#schedule();
  }

  async whenReady(): Promise<void> {
    if (this.#isClosed) throw notExecuted('it is closed');
  }

  async watch(resource: string, waker: Waker): Promise<Unsubscribe> {
    if (this.#isClosed) throw notExecuted('it is closed');
    return this.#wakers.add(resource, waker);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.stop();
    this.#wakers.clear();
    this.#waitedRows.clear();
    this.#held.clear();
  }

  /** This process was granted the lock. */
  onAcquired(resource: string): void {
    if (this.#held.size === 0) this.#heldDueAt = this.deps.clock.now() + HELD_MS;
    this.#held.add(resource);
    this.#schedule();
  }

  /** This process has given it back. */
  onReleased(resource: string): void {
    this.#held.delete(resource);
    const waited = this.#waitedRows.get(resource);
    if (waited === undefined) return;
    waited.dueAt = this.deps.clock.now();
    this.#schedule();
  }

  /** Whether another waiter is probably first: this process waits in the queue, and was not woken under this key. */
  isBehind(resource: string, key: string): boolean {
    const waited = this.#waitedRows.get(resource);
    return waited !== undefined && waited.wokenKey !== key;
  }

  /** This process has written the row. */
  onUpdated({ row, notifications }: RowUpdate): void {
    const { resource } = row;
    const written = { ...row, version: 0 };
    if (grantsFrom(written).some((grant) => this.#isOwn(grant))) this.onAcquired(resource);
    else this.#held.delete(resource);
    if (waitersFrom(written).some((waiter) => this.#isOwn(waiter))) this.#pollSoon(resource);
    // The answer known without a read.
    for (const { kind, processId, claimId } of notifications)
      if (kind === 'wake' && processId === this.deps.processId) this.#wake(resource, claimId);
  }

  #pollSoon(resource: string): void {
    const dueAt = this.deps.clock.now() + FIRST_MS;
    const known = this.#waitedRows.get(resource);
    if (known === undefined)
      this.#waitedRows.set(resource, { dueAt, pauseMs: FIRST_MS, wokenVersion: -1, wokenKey: '' });
    else known.dueAt = Math.min(known.dueAt, dueAt + known.pauseMs);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isPolling) return;
    let at = this.#held.size > 0 ? this.#heldDueAt : Infinity;
    for (const { dueAt } of this.#waitedRows.values()) at = Math.min(at, dueAt);
    this.#timer.arm(at);
  }

  async #poll(): Promise<void> {
    const { clock, operationTimeoutMs } = this.deps;
    const now = clock.now();
    // A row due within the next pause shares the statement.
    const due = [...this.#waitedRows]
      .filter(([, { dueAt }]) => dueAt <= now + FIRST_MS)
      .map(([name]) => name);
    const isHeldDue = this.#held.size > 0 && this.#heldDueAt <= now;
    const names = new Set(isHeldDue ? [...due, ...this.#held] : due);
    if (isHeldDue) this.#heldDueAt = now + HELD_MS;
    this.#isPolling = true;
    try {
      if (names.size > 0)
        this.#handleRows(due, await this.deps.read([...names], now + operationTimeoutMs), isHeldDue);
    } catch {
      for (const name of due) this.#postpone(name, FAILURE_PAUSE_MS);
    }
    this.#isPolling = false;
    this.#schedule();
  }

  #handleRows(due: readonly string[], { nowUs, rows }: RowsSnapshot, isHeldDue: boolean): void {
    if (this.#isClosed) return;
    const rowOf = new Map(rows.map((row) => [row.resource, row]));
    for (const resource of due) this.#handleWaitedRow(resource, rowOf.get(resource), nowUs);
    if (!isHeldDue) return;
    for (const resource of [...this.#held]) {
      const grants = grantsFrom(rowOf.get(resource));
      // It may have been granted since the statement was sent: then the suspicion is soon over.
      if (grants.some((grant) => this.#isOwn(grant) && grant.untilUs > nowUs)) continue;
      this.#held.delete(resource);
      this.deps.onSuspect(resource);
    }
  }

  #handleWaitedRow(resource: string, row: LockRow | undefined, nowUs: number): void {
    const waited = this.#waitedRows.get(resource);
    const waiters = waitersFrom(row).filter(({ seenUs }) => nowUs - seenUs <= HEAD_LIFE_US);
    if (waited === undefined) return;
    const position = waiters.findIndex((waiter) => this.#isOwn(waiter));
    if (row === undefined || position < 0) {
      // It was served, or has left; or the row was removed by hand, and the next question makes it anew.
      this.#waitedRows.delete(resource);
      return;
    }
    const grants = grantsFrom(row).filter(({ untilUs }) => untilUs > nowUs);
    if (position === 0 && waited.wokenVersion !== row.version && isAdmitted(waiters[0]!, grants, [])) {
      const { key, processId } = waiters[0]!;
      waited.wokenVersion = row.version;
      this.#wake(resource, key === processId ? undefined : key);
    }
    this.#postpone(resource, position === 0 ? waited.pauseMs : LAST_MS);
    waited.pauseMs = position === 0 ? Math.min(waited.pauseMs * GROWTH, LAST_MS) : FIRST_MS;
  }

  #postpone(resource: string, ms: number): void {
    const waited = this.#waitedRows.get(resource);
    if (waited !== undefined) waited.dueAt = this.deps.clock.now() + ms;
  }

  #wake(resource: string, claimId: string | undefined): void {
    const waited = this.#waitedRows.get(resource);
    if (waited !== undefined) waited.wokenKey = claimId ?? this.deps.processId;
    this.#wakers.wake(resource, claimId === undefined ? undefined : { claimId });
  }

  #isOwn(one: RowGrant | RowWaiter): boolean {
    return ('processId' in one ? one.processId : processIdOf(one.id)) === this.deps.processId;
  }
}
