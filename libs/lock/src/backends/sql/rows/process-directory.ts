import { hostname } from 'node:os';
import type { ProcessView } from '../../../core/claim.js';
import type { Clock } from '../../../core/clock.js';
import type { ProcessRow } from './lock-row.js';
import type { LockTable } from './lock-table.js';

/** The age from which the own row is written anew, in ms; without a sign for three times as long it counts as dead. */
const REFRESH_MS = 20_000;
export const PROCESS_LIFE_MS = 3 * REFRESH_MS;
/** A process without a row is looked up again after this long, in ms. */
const UNKNOWN_MS = 10_000;
const CACHE_SIZE = 256;

interface KnownProcess {
  readonly view: ProcessView | undefined;
  readonly readAt: number;
}

/** Who is behind a process id. For people and logs only: written and read on the side, never waited for by a claim. */
export class SqlProcessDirectory {
  readonly #known = new Map<string, KnownProcess>();
  readonly #own: ProcessView;
  #signedAt = -Infinity;

  constructor(
    private readonly processId: string,
    label: string | undefined,
    private readonly table: Pick<LockTable, 'register' | 'unregister' | 'processes'>,
    private readonly clock: Clock,
    private readonly operationTimeoutMs: number,
  ) {
    this.#own = { host: hostname(), pid: process.pid, ...(label !== undefined && { label }) };
  }

  /** Writes the own row if it is due. */
  register(): void {
    if (this.clock.now() - this.#signedAt < REFRESH_MS) return;
    this.#signedAt = this.clock.now();
    const { host, pid, label = null } = this.#own;
    this.table.register({ id: this.processId, host, pid, label }, this.#deadline()).catch(() => undefined);
  }

  async unregister(): Promise<void> {
    if (this.#signedAt > -Infinity) await this.table.unregister(this.processId, this.#deadline());
  }

  /** The known state; an unknown process is looked up for the next call. */
  cachedView(processId: string): ProcessView | undefined {
    if (processId === this.processId) return this.#own;
    const known = this.#known.get(processId);
    if (known?.view === undefined && !(this.clock.now() - (known?.readAt ?? -Infinity) < UNKNOWN_MS)) {
      this.#keep(processId, undefined);
      this.load([processId], this.#deadline()).catch(() => undefined);
    }
    return known?.view;
  }

  /** Looks up those that are not known. */
  async load(processIds: readonly string[], deadline: number): Promise<void> {
    const unknown = [...new Set(processIds)].filter(
      (id) => id !== this.processId && this.#known.get(id)?.view === undefined,
    );
    if (unknown.length === 0) return;
    for (const row of await this.table.processes(unknown, deadline)) this.#keep(row.id, viewOf(row));
  }

  #keep(processId: string, view: ProcessView | undefined): void {
    this.#known.delete(processId);
    if (this.#known.size >= CACHE_SIZE) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(processId, { view, readAt: this.clock.now() });
  }

  #deadline(): number {
    return this.clock.now() + this.operationTimeoutMs;
  }
}

function viewOf({ host, pid, label }: ProcessRow): ProcessView {
  return { host, pid, ...(label !== null && { label }) };
}
