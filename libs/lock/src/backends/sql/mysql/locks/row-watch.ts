import { isAdmitted } from '../../../../core/admission.js';
import type { Wake } from '../../../../core/claim.js';
import type { Clock, Timer } from '../../../../core/clock.js';
import type { Unsubscribe, Waker } from '../../../../core/ports/ports.js';
import type { LockRow } from '../../rows/lock-row.js';
import type { Change, Reading } from '../../rows/lock-table.js';
import { HEAD_LIFE_US, processOf } from '../../rows/place.js';
import { grantsFrom, lineFrom, type Grant, type Waiter } from '../../rows/row-format.js';
import type { Wakes } from '../../sql-backend.js';
import { notSent } from '../connection/failures.js';

/** The row of a lock for which this process is the first in line is looked at after so long, and then less and less often, in ms. */
const FIRST_MS = 5;
const LAST_MS = 40;
const GROWTH = 1.5;
/** Rows of locks that this process has are looked at this often, in ms: somebody may have freed one by force. */
const HELD_MS = 250;
/** After an answer that did not come. */
const RETRY_MS = 250;

export interface RowWatchSite {
  readonly clock: Clock;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  read(resources: readonly string[], by: number): Promise<Reading>;
  onSuspect(resource: string): void;
}

/** A row in whose line this process stands. */
interface Waiting {
  /** It is looked at again then, local ms. */
  dueAt: number;
  pauseMs: number;
  /** The version that somebody was woken for: once is enough. */
  wokenFor: number;
  /** Who was woken last. */
  calledKey: string;
}

/**
 * The server tells nobody when a lock is free. So this process looks, for all of its waiters in one statement, and only at rows
 * in whose line it stands: often where it is the next, less often where others are before it or where nothing happens for long.
 */
export class RowWatch implements Wakes {
  /** The statements are counted where they are sent. */
  readonly commands = 0;
  readonly #watched = new Map<string, Set<Waker>>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #held = new Set<string>();
  #heldDueAt = 0;
  #timer: Timer | undefined;
  #timerAt = Infinity;
  #isLooking = false;
  #isClosed = false;

  constructor(private readonly site: RowWatchSite) {}

  start(): void {
    this.#schedule();
  }

  async whenReady(): Promise<void> {
    if (this.#isClosed) throw notSent('it is closed');
  }

  async watch(resource: string, waker: Waker): Promise<Unsubscribe> {
    if (this.#isClosed) throw notSent('it is closed');
    // Every call counts for itself, also with a function that watches already.
    const own: Waker = (wake) => waker(wake);
    const wakers = this.#watched.get(resource) ?? new Set();
    this.#watched.set(resource, wakers.add(own));
    return () => {
      if (wakers.delete(own) && wakers.size === 0) this.#watched.delete(resource);
    };
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.site.clock.clearTimer(this.#timer);
    this.#watched.clear();
    this.#waiting.clear();
    this.#held.clear();
  }

  /** This process was granted the lock. */
  took(resource: string): void {
    if (this.#held.size === 0) this.#heldDueAt = this.site.clock.now() + HELD_MS;
    this.#held.add(resource);
    this.#schedule();
  }

  /** This process has given it back. */
  gave(resource: string): void {
    this.#held.delete(resource);
    const waiting = this.#waiting.get(resource);
    if (waiting === undefined) return;
    waiting.dueAt = this.site.clock.now();
    this.#schedule();
  }

  /** Whether somebody else is probably served before: this process stands in line, and was not called under this key. */
  isBehind(resource: string, key: string): boolean {
    const waiting = this.#waiting.get(resource);
    return waiting !== undefined && waiting.calledKey !== key;
  }

  /** This process has written the row. */
  wrote({ row, wakes }: Change): void {
    const { resource } = row;
    const written = { ...row, version: 0 };
    if (grantsFrom(written).some((grant) => this.#isOwn(grant))) this.took(resource);
    else this.#held.delete(resource);
    if (lineFrom(written).some((waiter) => this.#isOwn(waiter))) this.#lookSoon(resource);
    // What is known without a look.
    for (const { kind, processId, claimId } of wakes)
      if (kind === 'wake' && processId === this.site.processId) this.#wake(resource, claimId);
  }

  #lookSoon(resource: string): void {
    const dueAt = this.site.clock.now() + FIRST_MS;
    const known = this.#waiting.get(resource);
    if (known === undefined)
      this.#waiting.set(resource, { dueAt, pauseMs: FIRST_MS, wokenFor: -1, calledKey: '' });
    else known.dueAt = Math.min(known.dueAt, dueAt + known.pauseMs);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isLooking || this.#isClosed) return;
    const { clock } = this.site;
    let at = this.#held.size > 0 ? this.#heldDueAt : Infinity;
    for (const { dueAt } of this.#waiting.values()) at = Math.min(at, dueAt);
    if (at >= this.#timerAt || at === Infinity) return;
    if (this.#timer !== undefined) clock.clearTimer(this.#timer);
    this.#timerAt = at;
    this.#timer = clock.setTimer(() => {
      this.#timer = undefined;
      this.#timerAt = Infinity;
      void this.#look();
    }, at - clock.now());
  }

  async #look(): Promise<void> {
    const { clock, operationTimeoutMs } = this.site;
    const now = clock.now();
    // What is due within the next pause anyway shares the statement.
    const due = [...this.#waiting].filter(([, { dueAt }]) => dueAt <= now + FIRST_MS).map(([name]) => name);
    const isHeldDue = this.#held.size > 0 && this.#heldDueAt <= now;
    const names = new Set(isHeldDue ? [...due, ...this.#held] : due);
    if (isHeldDue) this.#heldDueAt = now + HELD_MS;
    this.#isLooking = true;
    try {
      if (names.size > 0)
        this.#seen(due, await this.site.read([...names], now + operationTimeoutMs), isHeldDue);
    } catch {
      for (const name of due) this.#putOff(name, RETRY_MS);
    }
    this.#isLooking = false;
    this.#schedule();
  }

  #seen(due: readonly string[], { nowUs, rows }: Reading, isHeldDue: boolean): void {
    if (this.#isClosed) return;
    const rowOf = new Map(rows.map((row) => [row.resource, row]));
    for (const resource of due) this.#seenWaiting(resource, rowOf.get(resource), nowUs);
    if (!isHeldDue) return;
    for (const resource of [...this.#held]) {
      const grants = grantsFrom(rowOf.get(resource));
      // It may have been granted since the statement was sent: then the doubt is soon over.
      if (grants.some((grant) => this.#isOwn(grant) && grant.untilUs > nowUs)) continue;
      this.#held.delete(resource);
      this.site.onSuspect(resource);
    }
  }

  #seenWaiting(resource: string, row: LockRow | undefined, nowUs: number): void {
    const waiting = this.#waiting.get(resource);
    const line = lineFrom(row).filter(({ seenUs }) => nowUs - seenUs <= HEAD_LIFE_US);
    if (waiting === undefined) return;
    const position = line.findIndex((waiter) => this.#isOwn(waiter));
    if (row === undefined || position < 0) {
      // It was served, or has left; or the row was removed by hand, and the next question makes it anew.
      this.#waiting.delete(resource);
      return;
    }
    const grants = grantsFrom(row).filter(({ untilUs }) => untilUs > nowUs);
    if (position === 0 && waiting.wokenFor !== row.version && isAdmitted(line[0]!, grants, [])) {
      const { key, processId } = line[0]!;
      waiting.wokenFor = row.version;
      this.#wake(resource, key === processId ? undefined : key);
    }
    this.#putOff(resource, position === 0 ? waiting.pauseMs : LAST_MS);
    waiting.pauseMs = position === 0 ? Math.min(waiting.pauseMs * GROWTH, LAST_MS) : FIRST_MS;
  }

  #putOff(resource: string, ms: number): void {
    const waiting = this.#waiting.get(resource);
    if (waiting !== undefined) waiting.dueAt = this.site.clock.now() + ms;
  }

  #wake(resource: string, claimId: string | undefined): void {
    const waiting = this.#waiting.get(resource);
    if (waiting !== undefined) waiting.calledKey = claimId ?? this.site.processId;
    const wake: Wake | undefined = claimId === undefined ? undefined : { claimId };
    for (const waker of [...(this.#watched.get(resource) ?? [])]) waker(wake);
  }

  #isOwn(one: Grant | Waiter): boolean {
    return ('processId' in one ? one.processId : processOf(one.id)) === this.site.processId;
  }
}
