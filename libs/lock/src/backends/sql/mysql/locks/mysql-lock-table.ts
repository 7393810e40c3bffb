import type { ResultRow, Statement } from '../../connection/link.js';
import type { LinkPool } from '../../connection/link-pool.js';
import type { RowSnapshot, ProcessRow } from '../../rows/lock-row.js';
import type {
  RowUpdate,
  RowRelease,
  RowReleased,
  LockTable,
  NameRange,
  RowUnchanged,
  RowRenewal,
  RowsSnapshot,
  RowAcquire,
  RowAcquired,
} from '../../rows/lock-table.js';
import { waitersFrom } from '../../rows/row-format.js';
import type { RowPoller } from './row-poller.js';
import { lockRowOf, MysqlLockStatements, textOf } from './lock-statements.js';

/** Rows that are known to be there, at most. */
const MAX_KNOWN = 20_000;
/** After another process was seen at a row, this many claims skip the statement for a row without waiters. */
const BUSY_FOR = 16;

export interface MysqlLockTableDeps {
  readonly pool: LinkPool;
  readonly statements: MysqlLockStatements;
  /** Told what this process has, and where it waits. */
  readonly poller: Pick<RowPoller, 'onAcquired' | 'onReleased' | 'onUpdated' | 'isBehind'>;
}

/**
 * The rows of locks in MySQL and MariaDB, which answer a change with two numbers: rows that were
 * found, and LAST_INSERT_ID.
 */
export class MysqlLockTable implements LockTable {
  readonly #statements: MysqlLockStatements;
  /** Rows that are there, as far as is known: for others the row is made with the grant. */
  readonly #known = new Set<string>();
  /** Rows with waiters or several grants, as far as is known, and for how many claims that is believed. */
  readonly #busy = new Map<string, number>();

  constructor(private readonly deps: MysqlLockTableDeps) {
    this.#statements = deps.statements;
  }

  async create(resources: readonly string[], deadline: number): Promise<void> {
    await this.deps.pool.run(this.#statements.create(resources), deadline);
    for (const resource of resources) this.#setExists(resource, true);
  }

  async acquire(request: RowAcquire, deadline: number): Promise<RowAcquired | RowUnchanged> {
    const { resource, key } = request;
    // A change that finds nothing to change costs a second statement. So a caller that is probably
    // refused reads first.
    if (this.deps.poller.isBehind(resource, key)) {
      const seen = await this.#readUnchanged(resource, deadline);
      if (!isFreeFor(request, seen)) return seen;
    }
    const isKnown = this.#known.has(resource);
    if (!isKnown) {
      const created = await this.#tryAcquire(this.#statements.acquireNew(request), request, deadline);
      if (created !== undefined) return created;
    }
    if (!this.#isBusy(resource)) {
      const acquired = await this.#tryAcquire(this.#statements.acquireFree(request), request, deadline);
      if (acquired !== undefined) return acquired;
      const seen = await this.#readUnchanged(resource, deadline);
      if (seen.row === undefined) return this.#acquireNew(request, deadline);
      if (!isFreeFor(request, seen)) return seen;
    }
    const acquired = await this.#tryAcquire(this.#statements.acquire(request), request, deadline);
    if (acquired !== undefined) return acquired;
    const seen = await this.#readUnchanged(resource, deadline);
    return seen.row === undefined && isKnown ? this.#acquireNew(request, deadline) : seen;
  }

  async release(request: RowRelease, deadline: number): Promise<RowReleased | RowUnchanged> {
    const { affected, insertId } = await this.deps.pool.run(this.#statements.release(request), deadline);
    if (affected === 0) return this.#readUnchanged(request.resource, deadline);
    this.deps.poller.onReleased(request.resource);
    return { done: true, nowUs: insertId };
  }

  async renew(renewals: readonly RowRenewal[], deadline: number): Promise<readonly boolean[]> {
    const inOrder = [...renewals].sort((a, b) => (a.resource < b.resource ? -1 : 1));
    const { affected } = await this.deps.pool.run(this.#statements.renew(inOrder), deadline, true);
    // The number of rows does not say which: where some are missing, each is renewed separately.
    if (affected === renewals.length) return renewals.map(() => true);
    if (affected === 0 || renewals.length === 1) return renewals.map(() => false);
    const half = Math.ceil(renewals.length / 2);
    const parts = [renewals.slice(0, half), renewals.slice(half)];
    return (await Promise.all(parts.map((part) => this.renew(part, deadline)))).flat();
  }

  async read(resources: readonly string[], deadline: number, isUrgent = false): Promise<RowsSnapshot> {
    const { rows } = await this.deps.pool.run(this.#statements.read(resources), deadline, isUrgent);
    return snapshotFrom(rows);
  }

  async list(names: NameRange, limit: number, deadline: number): Promise<RowsSnapshot> {
    const { rows } = await this.deps.pool.run(this.#statements.list(names, limit), deadline);
    return snapshotFrom(rows);
  }

  async compareAndSet(update: RowUpdate, deadline: number, isUrgent = false): Promise<boolean> {
    const statement = this.#statements.compareAndSet(update);
    const { affected } = await this.deps.pool.run(statement, deadline, isUrgent);
    if (affected === 1) this.deps.poller.onUpdated(update);
    return affected === 1;
  }

  async remove(resources: readonly string[], deadline: number): Promise<readonly string[]> {
    for (const resource of resources) this.#setExists(resource, false);
    const { affected } = await this.deps.pool.run(this.#statements.remove(resources), deadline);
    if (affected === resources.length) return resources;
    const { rows } = await this.deps.pool.run(this.#statements.existing(resources), deadline);
    const left = new Set(rows.map((row) => textOf(row['resource'])));
    return resources.filter((resource) => !left.has(resource));
  }

  async sweep(idleUs: number, limit: number, deadline: number): Promise<void> {
    const { rows } = await this.deps.pool.run(this.#statements.abandoned(idleUs, limit), deadline);
    const names = rows.map((row) => textOf(row['resource']));
    if (names.length > 0) await this.deps.pool.run(this.#statements.remove(names), deadline);
    await this.deps.pool.run(this.#statements.forgetProcesses(idleUs), deadline);
  }

  async register(process: ProcessRow, deadline: number): Promise<void> {
    await this.deps.pool.run(this.#statements.register(process), deadline);
  }

  async unregister(processId: string, deadline: number): Promise<void> {
    await this.deps.pool.run(this.#statements.unregister(processId), deadline);
  }

  async processes(ids: readonly string[], deadline: number): Promise<readonly ProcessRow[]> {
    return (await this.deps.pool.run(this.#statements.processes(ids), deadline)).rows.map(processRowOf);
  }

  async livingProcesses(idleUs: number, deadline: number): Promise<readonly ProcessRow[]> {
    return (await this.deps.pool.run(this.#statements.livingProcesses(idleUs), deadline)).rows.map(
      processRowOf,
    );
  }

  async #tryAcquire(
    statement: Statement,
    request: RowAcquire,
    deadline: number,
  ): Promise<RowAcquired | undefined> {
    const { affected, insertId } = await this.deps.pool.run(statement, deadline);
    if (affected === 0) return undefined;
    const { poller } = this.deps;
    this.#setExists(request.resource, true);
    poller.onAcquired(request.resource);
    if (request.tokens === 0) return { done: true, firstToken: 0, nowUs: insertId };
    // There is room for one number in the answer.
    return { done: true, firstToken: insertId + 1 };
  }

  /** The row was removed meanwhile. */
  async #acquireNew(request: RowAcquire, deadline: number): Promise<RowAcquired | RowUnchanged> {
    return (
      (await this.#tryAcquire(this.#statements.acquireNew(request), request, deadline)) ??
      this.#readUnchanged(request.resource, deadline)
    );
  }

  /** Counts the calls since another process was seen there. */
  #isBusy(resource: string): boolean {
    if (this.#busy.size === 0) return false;
    const left = this.#busy.get(resource) ?? 0;
    if (left > 1) this.#busy.set(resource, left - 1);
    else this.#busy.delete(resource);
    return left > 0;
  }

  #setExists(resource: string, exists: boolean): void {
    if (!exists) this.#known.delete(resource);
    else if (this.#known.size < MAX_KNOWN) this.#known.add(resource);
  }

  async #readUnchanged(resource: string, deadline: number): Promise<RowUnchanged> {
    const { nowUs, rows } = await this.read([resource], deadline);
    const [row] = rows;
    this.#setExists(resource, row !== undefined);
    const isQuiet = row === undefined || (row.crowd === null && row.line === null);
    if (isQuiet) this.#busy.delete(resource);
    else if (this.#busy.size < MAX_KNOWN) this.#busy.set(resource, BUSY_FOR);
    return { done: false, nowUs, row };
  }
}

function snapshotFrom(rows: readonly ResultRow[]): RowsSnapshot {
  const nowUs = Math.max(0, ...rows.map((row) => Number(row['now_us'])));
  return { nowUs, rows: rows.map(lockRowOf).filter((row) => row !== undefined) };
}

function processRowOf({ id, host, pid, label }: ResultRow): ProcessRow {
  return {
    ...{ id: textOf(id), host: textOf(host), pid: Number(pid) },
    label: label === null ? null : textOf(label),
  };
}

/** Whether `acquire` would be done, as far as can be seen. */
function isFreeFor({ id, key }: RowAcquire, { row, nowUs }: RowSnapshot): boolean {
  if (row === undefined || row.crowd !== null) return false;
  const isEnded = row.holder === '' || row.untilUs <= nowUs;
  if (!isEnded) return row.holder === id && !row.revoked;
  const [first] = waitersFrom(row);
  return first === undefined || first.key === key;
}
