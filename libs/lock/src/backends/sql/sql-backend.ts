import type { Clock, Timer } from '../../core/clock.js';
import type {
  Backend,
  LeaseDriver,
  RecordDriver,
  Traits,
  Unsubscribe,
  Waker,
} from '../../core/ports/ports.js';
import { READY_TIMEOUTS, untilServing } from '../../runtime/until-serving.js';
import type { DatabaseTime } from './connection/database-time.js';
import { Failures } from './connection/failures.js';
import { KnownRows } from './rows/known-rows.js';
import type { LinkPool } from './connection/link-pool.js';
import type { LockTable } from './rows/lock-table.js';
import { PROCESS_LIFE_MS, ProcessRows } from './rows/process-rows.js';
import type { RecordTable } from './records/record-table.js';
import { SqlLeases } from './sql-leases.js';
import { SqlRecords } from './records/sql-records.js';
import { MIN_LEASE_MS, type SqlTerms } from './sql-options.js';

/** What dead processes have left is looked for this often, in ms, and as much by chance. */
const SWEEP_MS = 60_000;
/** Rows in one such statement, at most. */
const SWEPT_AT_ONCE = 256;

/** How processes hear of each other, where a database can tell. */
export interface Wakes {
  readonly commands: number;
  start(): void;
  /** @throws BackendUnavailableError */
  whenReady(ms: number): Promise<void>;
  /** @throws BackendUnavailableError when it is not heard of the resource from now on */
  watch(resource: string, waker: Waker): Promise<Unsubscribe>;
  close(): void;
}

export interface SqlSite {
  readonly name: string;
  readonly terms: SqlTerms;
  readonly processId: string;
  readonly pool: LinkPool;
  readonly table: LockTable;
  readonly records: RecordTable;
  readonly time: DatabaseTime;
  /** @default the engine asks again by itself */
  readonly wakes?: Wakes;
}

/** Locks and records as rows of a database. */
export class SqlBackend implements Backend {
  readonly name: string;
  readonly traits: Traits;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  protected readonly clock: Clock;
  readonly #site: SqlSite;
  readonly #leases: SqlLeases;
  readonly #records: SqlRecords;
  readonly #rows: KnownRows;
  readonly #processes: ProcessRows;
  readonly #doubts = new Set<(resource: string | undefined) => void>();
  #sweep: Timer | undefined;
  #closed: Promise<void> | undefined;

  constructor(site: SqlSite) {
    const { name, terms, processId, table, time, wakes } = site;
    const { clock, operationTimeoutMs, maxLeaseMs, keepRowsMs, label } = terms;
    this.name = name;
    this.processId = processId;
    this.operationTimeoutMs = operationTimeoutMs;
    this.clock = clock;
    this.#site = site;
    this.#rows = new KnownRows({ clock, table, operationTimeoutMs, keepRowsMs });
    this.#processes = new ProcessRows(processId, label, table, clock, operationTimeoutMs);
    this.traits = Object.freeze({
      fifo: true,
      shared: true,
      weighted: true,
      fencing: true,
      push: wakes !== undefined,
      holdAtLeast: true,
      inProcess: false,
      minLeaseMs: MIN_LEASE_MS,
      maxLeaseMs,
      lifetime: 'lease',
    });
    const failures = new Failures(name);
    const askTime = async (): Promise<number> =>
      (await table.read([], clock.now() + operationTimeoutMs)).nowUs;
    const forRecords = { clock, table: site.records, operationTimeoutMs, failures, time, askTime };
    this.#records = new SqlRecords(forRecords);
    const ground = { clock, table, time, processId, operationTimeoutMs, failures };
    this.#leases = new SqlLeases({
      ...ground,
      rows: this.#rows,
      processes: this.#processes,
      watch: wakes && ((resource, waker) => wakes.watch(resource, waker)),
    });
  }

  get leases(): LeaseDriver {
    return this.#leases;
  }

  get records(): RecordDriver {
    return this.#records;
  }

  get commands(): number {
    return this.#site.pool.commands + (this.#site.wakes?.commands ?? 0);
  }

  async ready(): Promise<void> {
    const { clock, operationTimeoutMs } = this;
    const isFinal = (): boolean => this.#closed !== undefined;
    this.#site.wakes?.start();
    await untilServing({ clock, operationTimeoutMs, isFinal }, () => this.ping());
    await this.#site.wakes?.whenReady(operationTimeoutMs * READY_TIMEOUTS);
    this.#scheduleSweep();
  }

  async ping(): Promise<number> {
    const sentAt = this.clock.now();
    const { nowUs } = await this.#site.table.read([], sentAt + this.operationTimeoutMs);
    this.#site.time.learn(nowUs);
    const tripMs = this.clock.now() - sentAt;
    // What was asked before is answered before, though it travels on other connections.
    await this.#leases.settled();
    return tripMs;
  }

  onSuspect(listener: (resource: string | undefined) => void): Unsubscribe {
    this.#doubts.add(listener);
    return () => void this.#doubts.delete(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Grants on the resource, or on all, may have been taken away. */
  doubt(resource: string | undefined): void {
    for (const listener of this.#doubts) listener(resource);
  }

  async #close(): Promise<void> {
    const { pool, wakes } = this.#site;
    if (this.#sweep !== undefined) this.clock.clearTimer(this.#sweep);
    wakes?.close();
    this.#records.close();
    await this.#rows.close();
    await this.#processes.erase().catch(() => undefined);
    pool.close();
  }

  #scheduleSweep(): void {
    if (this.#sweep !== undefined || this.#closed !== undefined) return;
    const pauseMs = SWEEP_MS * (1 + this.clock.random());
    this.#sweep = this.clock.setTimer(() => {
      this.#sweep = undefined;
      const by = this.clock.now() + this.operationTimeoutMs;
      const swept = this.#site.table.sweep(PROCESS_LIFE_MS * 1_000, SWEPT_AT_ONCE, by);
      swept.catch(() => undefined).finally(() => this.#scheduleSweep());
    }, pauseMs);
  }
}
