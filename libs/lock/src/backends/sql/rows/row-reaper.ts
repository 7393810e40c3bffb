import type { Clock, Timer } from '../../../core/clock.js';
import type { LockTable } from './lock-table.js';

/** Rows that this process has used, remembered at most; the oldest is removed early for a new one. */
const MAX_ROWS = 20_000;
/** Rows in one statement, at most. */
const ROWS_AT_ONCE = 256;
/** A row that others use is left to them after so many tries. */
const MAX_TRIES = 12;

export interface RowReaperDeps {
  readonly clock: Clock;
  readonly table: LockTable;
  readonly operationTimeoutMs: number;
  /** A row that this process has not used for so long is removed if it is free, in ms. */
  readonly keepRowsMs: number;
}

interface UsedRow {
  usedAt: number;
  tries: number;
}

/**
 * The rows that this process has used. Unused rows are removed, in batches. UntilConfirmed does not
 * fit: a row that stays harms no caller, so a later batch tries again.
 */
export class RowReaper {
  readonly #rows = new Map<string, UsedRow>();
  #timer: Timer | undefined;
  #removing: Promise<void> | undefined;
  #isClosed = false;

  constructor(private readonly deps: RowReaperDeps) {}

  get size(): number {
    return this.#rows.size;
  }

  markUsed(resource: string): void {
    const usedAt = this.deps.clock.now();
    const row = this.#rows.get(resource);
    if (row === undefined) this.#rows.set(resource, { usedAt, tries: 0 });
    else {
      row.usedAt = usedAt;
      row.tries = 0;
    }
    this.#schedule();
  }

  /** Removes the free rows, at once. Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.deps.clock.clearTimer(this.#timer);
    await this.#removing;
    const deadline = this.deps.clock.now() + this.deps.operationTimeoutMs;
    const names = [...this.#rows.keys()];
    this.#rows.clear();
    for (let at = 0; at < names.length && this.deps.clock.now() < deadline; at += ROWS_AT_ONCE) {
      await this.deps.table.remove(names.slice(at, at + ROWS_AT_ONCE), deadline).catch(() => undefined);
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#rows.size === 0) return;
    const { clock, keepRowsMs } = this.deps;
    this.#timer = clock.setTimer(() => {
      this.#timer = undefined;
      this.#removing = this.#removeIdle().then(() => {
        this.#removing = undefined;
        this.#schedule();
      });
    }, keepRowsMs);
  }

  async #removeIdle(): Promise<void> {
    const { clock, table, operationTimeoutMs, keepRowsMs } = this.deps;
    const now = clock.now();
    const tooMany = this.#rows.size - MAX_ROWS;
    const oldest =
      tooMany > 0 ? [...this.#rows].sort(([, a], [, b]) => a.usedAt - b.usedAt).slice(0, tooMany) : [];
    const idle = new Set(oldest.map(([resource]) => resource));
    for (const [resource, { usedAt, tries }] of this.#rows) {
      // Retried after longer and longer pauses: the process that uses it now will remove it.
      if (now - usedAt >= keepRowsMs * (1 + tries)) idle.add(resource);
    }
    const names = [...idle];
    for (let at = 0; at < names.length && !this.#isClosed; at += ROWS_AT_ONCE) {
      const batch = names.slice(at, at + ROWS_AT_ONCE);
      const removed = await table.remove(batch, clock.now() + operationTimeoutMs).catch(() => []);
      this.#recordOutcome(batch, new Set(removed), now);
    }
  }

  #recordOutcome(batch: readonly string[], removed: ReadonlySet<string>, now: number): void {
    for (const resource of batch) {
      const row = this.#rows.get(resource);
      // Used again while it was removed: it may be there again.
      if (row === undefined || row.usedAt > now) continue;
      row.tries += 1;
      if (removed.has(resource) || row.tries >= MAX_TRIES) this.#rows.delete(resource);
    }
  }
}
