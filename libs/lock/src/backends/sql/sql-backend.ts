import type { Clock, Timer } from '../../core/clock.js';
import type { AdminDriver } from '../../core/ports/admin.js';
import type {
  Backend,
  LeaseDriver,
  RecordDriver,
  Traits,
  Unsubscribe,
  Waker,
} from '../../core/ports/ports.js';
import { READY_TIMEOUTS, untilServing } from '../../runtime/until-serving.js';
import type { ClockOffset } from '../kit/clock-offset.js';
import { PROCESS_LIFE_MS, ProcessDirectory } from '../kit/process-directory.js';
import { ownProcessView } from '../kit/process-view.js';
import type { Suspicion } from '../kit/suspicion.js';
import { BackendErrors } from './connection/failures.js';
import { RowReaper } from './rows/row-reaper.js';
import type { LinkPool } from './connection/link-pool.js';
import type { LockTable } from './rows/lock-table.js';
import { processEntries } from './rows/process-entries.js';
import type { RecordTable } from './records/record-table.js';
import { RowViews } from './rows/row-views.js';
import { SqlAdmin } from './rows/sql-admin.js';
import { SqlLeases } from './sql-leases.js';
import { SqlRecords } from './records/sql-records.js';
import { MIN_LEASE_MS, type SqlSettings } from './sql-options.js';

/** What dead processes have left is looked for this often, in ms, and as much by chance. */
const SWEEP_MS = 60_000;
/** Rows in one such statement, at most. */
const SWEPT_AT_ONCE = 256;

/** How processes notify each other, if the database supports it. */
export interface SqlWakeSource {
  readonly commands: number;
  start(): void;
  /** @throws BackendUnavailableError */
  whenReady(ms: number): Promise<void>;
  /** @throws BackendUnavailableError when notifications about the resource cannot be received */
  watch(resource: string, waker: Waker): Promise<Unsubscribe>;
  close(): void;
}

export interface SqlBackendDeps {
  readonly name: string;
  readonly settings: SqlSettings;
  readonly processId: string;
  readonly pool: LinkPool;
  readonly table: LockTable;
  readonly records: RecordTable;
  readonly clockOffset: ClockOffset;
  /** Told that grants may have been taken away. */
  readonly suspicion: Suspicion;
  /** @default the engine asks again by itself */
  readonly wakeSource?: SqlWakeSource;
}

/** Locks and records as rows of a database. */
export class SqlBackend implements Backend {
  readonly name: string;
  readonly traits: Traits;
  readonly processId: string;
  readonly operationTimeoutMs: number;
  readonly onSuspect: Backend['onSuspect'];
  readonly admin: AdminDriver;
  protected readonly clock: Clock;
  readonly #deps: SqlBackendDeps;
  readonly #leases: SqlLeases;
  readonly #records: SqlRecords;
  readonly #rowReaper: RowReaper;
  readonly #processes: ProcessDirectory;
  #sweep: Timer | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: SqlBackendDeps) {
    const { name, settings, processId, table, clockOffset, wakeSource } = deps;
    const { clock, operationTimeoutMs, maxLeaseMs, keepRowsMs, label } = settings;
    this.name = name;
    this.processId = processId;
    this.operationTimeoutMs = operationTimeoutMs;
    this.clock = clock;
    this.onSuspect = deps.suspicion.onSuspect;
    this.#deps = deps;
    this.#rowReaper = new RowReaper({ clock, table, operationTimeoutMs, keepRowsMs });
    const newDeadline = (): number => clock.now() + operationTimeoutMs;
    const entries = processEntries(processId, table, newDeadline);
    this.#processes = new ProcessDirectory(processId, ownProcessView(label), entries, clock);
    this.traits = Object.freeze({
      fifo: true,
      shared: true,
      weighted: true,
      fencing: true,
      push: wakeSource !== undefined,
      holdAtLeast: true,
      inProcess: false,
      minLeaseMs: MIN_LEASE_MS,
      maxLeaseMs,
      lifetime: 'lease',
    });
    const errors = new BackendErrors(name);
    const readTime = async (): Promise<number> => (await table.read([], newDeadline())).nowUs;
    const recordsDeps = { clock, table: deps.records, operationTimeoutMs, errors, clockOffset, readTime };
    this.#records = new SqlRecords(recordsDeps);
    const views = new RowViews(this.#processes);
    this.admin = new SqlAdmin({ table, views, newDeadline });
    const shared = { clock, table, clockOffset, processId, operationTimeoutMs, errors };
    this.#leases = new SqlLeases({
      ...shared,
      rowReaper: this.#rowReaper,
      processes: this.#processes,
      views,
      watch: wakeSource && ((resource, waker) => wakeSource.watch(resource, waker)),
    });
  }

  get leases(): LeaseDriver {
    return this.#leases;
  }

  get records(): RecordDriver {
    return this.#records;
  }

  get commands(): number {
    return this.#deps.pool.commands + (this.#deps.wakeSource?.commands ?? 0);
  }

  async ready(): Promise<void> {
    const { clock, operationTimeoutMs } = this;
    const isFinal = (): boolean => this.#closed !== undefined;
    this.#deps.wakeSource?.start();
    await untilServing({ clock, operationTimeoutMs, isFinal }, () => this.ping());
    await this.#deps.wakeSource?.whenReady(operationTimeoutMs * READY_TIMEOUTS);
    this.#scheduleSweep();
  }

  async ping(): Promise<number> {
    const sentAt = this.clock.now();
    const { nowUs } = await this.#deps.table.read([], sentAt + this.operationTimeoutMs);
    this.#deps.clockOffset.addSample(nowUs);
    const tripMs = this.clock.now() - sentAt;
    // What was asked before is answered before, though it travels on other connections.
    await this.#leases.settled();
    return tripMs;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { pool, wakeSource } = this.#deps;
    if (this.#sweep !== undefined) this.clock.clearTimer(this.#sweep);
    wakeSource?.close();
    this.#records.close();
    await this.#rowReaper.close();
    await this.#processes.remove().catch(() => undefined);
    pool.close();
  }

  #scheduleSweep(): void {
    if (this.#sweep !== undefined || this.#closed !== undefined) return;
    const pauseMs = SWEEP_MS * (1 + this.clock.random());
    this.#sweep = this.clock.setTimer(() => {
      this.#sweep = undefined;
      const deadline = this.clock.now() + this.operationTimeoutMs;
      const swept = this.#deps.table.sweep(PROCESS_LIFE_MS * 1_000, SWEPT_AT_ONCE, deadline);
      swept.catch(() => undefined).finally(() => this.#scheduleSweep());
    }, pauseMs);
  }
}
