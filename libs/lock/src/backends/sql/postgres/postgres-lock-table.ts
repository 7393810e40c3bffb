import type { ResultRow } from '../connection/link.js';
import type { LinkPool } from '../connection/link-pool.js';
import type { LockRow, ProcessRow } from '../rows/lock-row.js';
import type {
  RowNotification,
  RowUpdate,
  RowRelease,
  RowReleased,
  LockTable,
  NameRange,
  RowUnchanged,
  RowRenewal,
  RowsSnapshot,
  RowRefused,
  RowAcquire,
  RowAcquired,
} from '../rows/lock-table.js';
import { SUSPECTS_CHANNEL, processChannel, type PostgresTableNames } from './names.js';
import { StatementBatcher } from './statement-batcher.js';
import { rowStatements, type RowStatements } from './lock-statements.js';
import { upkeepStatements, type UpkeepStatements } from './upkeep-statements.js';

/** Most names that are remembered: a forgotten one costs one statement more. */
const MAX_NAMES = 20_000;
type StatementName = keyof RowStatements | keyof UpkeepStatements;
/** The statements, each with the name under which a connection keeps it prepared. */
type PreparedStatements = Readonly<Record<StatementName, { readonly name: string; readonly text: string }>>;

const NONE: RowUnchanged = { done: false, nowUs: 0, row: undefined };

/** The rows of locks in PostgreSQL. */
export class PostgresLockTable implements LockTable {
  readonly decidesAll = true;
  readonly #statements: Readonly<Record<'one' | 'many', PreparedStatements>>;
  /** Rows that this process has seen: others are made with the grant, in one statement. */
  readonly #created = new Set<string>();
  /** Rows with a recent waiter, or with many sharers: the short statements do not help there. */
  readonly #busy = new Set<string>();
  readonly #acquireNew: StatementBatcher<RowAcquire>;
  readonly #acquireFree: StatementBatcher<RowAcquire>;
  readonly #acquire: StatementBatcher<RowAcquire>;
  readonly #releaseFree: StatementBatcher<RowRelease>;
  readonly #release: StatementBatcher<RowRelease>;

  constructor(
    private readonly pool: LinkPool,
    names: PostgresTableNames,
  ) {
    this.#statements = { one: preparedFor(names, 'one'), many: preparedFor(names, 'many') };
    this.#acquireNew = this.#batch('acquireNew', acquireFreeValues);
    this.#acquireFree = this.#batch('acquireFree', acquireFreeValues);
    this.#acquire = this.#batch('acquire', acquireValues);
    this.#releaseFree = this.#batch('releaseFree', releaseFreeValues);
    this.#release = this.#batch('release', releaseValues);
  }

  async create(resources: readonly string[], deadline: number): Promise<void> {
    await this.#run('create', [resources], deadline);
    for (const resource of resources) remember(this.#created, resource);
  }

  async acquire(request: RowAcquire, deadline: number): Promise<RowAcquired | RowRefused | RowUnchanged> {
    const { resource, tokens, isShared, units, capacity } = request;
    const isWhole = !isShared && units === capacity;
    if (isWhole && !this.#created.has(resource)) {
      const created = await this.#acquireNew.add(request, deadline);
      remember(this.#created, resource);
      if (created !== undefined) return acquiredFrom(created, tokens);
    }
    if (isWhole && !this.#busy.has(resource)) {
      const acquired = await this.#acquireFree.add(request, deadline);
      if (acquired !== undefined) return acquiredFrom(acquired, tokens);
    }
    const row = await this.#acquire.add(request, deadline);
    if (row === undefined) return this.#rowGone(resource);
    const isQuiet = row['given'] !== null && row['crowd'] === null && row['line'] === null;
    if (isQuiet) this.#busy.delete(resource);
    else remember(this.#busy, resource);
    if (row['given'] !== null) return acquiredFrom(row, tokens);
    return { done: true, nowUs: Number(row['now_us']), refused: lockRowOf(row) };
  }

  async release(request: RowRelease, deadline: number): Promise<RowReleased | RowUnchanged> {
    // Shared grants are in `crowd`, which the short statement leaves alone.
    if (request.keepUs === 0 && !request.isShared && !this.#busy.has(request.resource)) {
      const released = await this.#releaseFree.add(request, deadline);
      if (released !== undefined) return { done: true, outcome: 'released' };
    }
    const row = await this.#release.add(request, deadline);
    if (row === undefined) return this.#rowGone(request.resource);
    const outcome = row['is_known'] === true ? 'released' : 'absent';
    return { done: true, nowUs: Number(row['now_us']), outcome };
  }

  async renew(renewals: readonly RowRenewal[], deadline: number): Promise<readonly boolean[]> {
    const resources = renewals.map(({ resource }) => resource);
    const ids = renewals.map(({ id }) => id);
    const lives = renewals.map(({ lifeUs }) => lifeUs);
    const rows = await this.#run('renew', [resources, ids, lives], deadline, true);
    const holders = new Map(rows.map((row) => [row['resource'], row['holder']]));
    return renewals.map(({ resource, id }) => holders.get(resource) === id);
  }

  async read(resources: readonly string[], deadline: number, isUrgent = false): Promise<RowsSnapshot> {
    const rows = await this.#run('read', [resources], deadline, isUrgent);
    return snapshotFrom(rows);
  }

  async list({ from, after, end }: NameRange, limit: number, deadline: number): Promise<RowsSnapshot> {
    return snapshotFrom(await this.#run('list', [from, after, end, limit], deadline));
  }

  async compareAndSet(
    { expectedVersion, row, notAfterUs, notifications }: RowUpdate,
    deadline: number,
    isUrgent = false,
  ): Promise<boolean> {
    const { resource, holder, untilUs, units, depth, revoked, token, endsUs, crowd, line } = row;
    const [answer] = await this.#run(
      'compareAndSet',
      [
        ...[
          resource,
          expectedVersion,
          notAfterUs,
          holder,
          untilUs,
          units,
          depth,
          revoked,
          token,
          endsUs,
          crowd,
          line,
        ],
        ...[notifications.map(channelFor), notifications.map(messageOf)],
      ],
      deadline,
      isUrgent,
    );
    return answer?.['done'] === 1;
  }

  async remove(resources: readonly string[], deadline: number): Promise<readonly string[]> {
    for (const resource of resources) this.#created.delete(resource);
    const rows = await this.#run('remove', [resources], deadline);
    return rows.map((row) => String(row['resource']));
  }

  async sweep(idleUs: number, limit: number, deadline: number): Promise<void> {
    await this.#run('sweep', [idleUs, limit], deadline);
  }

  async register({ id, host, pid, label }: ProcessRow, deadline: number): Promise<void> {
    await this.#run('register', [id, host, pid, label], deadline);
  }

  async unregister(processId: string, deadline: number): Promise<void> {
    await this.#run('unregister', [processId], deadline);
  }

  async processes(ids: readonly string[], deadline: number): Promise<readonly ProcessRow[]> {
    return (await this.#run('processes', [ids], deadline)).map(processRowOf);
  }

  async livingProcesses(idleUs: number, deadline: number): Promise<readonly ProcessRow[]> {
    return (await this.#run('livingProcesses', [idleUs], deadline)).map(processRowOf);
  }

  #batch<T extends RowAcquire | RowRelease>(
    name: StatementName,
    valuesOf: (item: T) => readonly unknown[],
  ): StatementBatcher<T> {
    const one = this.#statements.one[name];
    const many = this.#statements.many[name];
    return new StatementBatcher((count, values, deadline) => {
      const statement = count === 'one' ? one : many;
      return this.pool.run({ name: statement.name, text: statement.text, values }, deadline);
    }, valuesOf);
  }

  async #run(
    name: StatementName,
    values: readonly unknown[],
    deadline: number,
    isUrgent = false,
  ): Promise<readonly ResultRow[]> {
    const { name: ownName, text } = this.#statements.one[name];
    const { rows } = await this.pool.run({ name: ownName, text, values }, deadline, isUrgent);
    return rows;
  }

  #rowGone(resource: string): RowUnchanged {
    this.#created.delete(resource);
    return NONE;
  }
}

function preparedFor(names: PostgresTableNames, count: 'one' | 'many'): PreparedStatements {
  const statements = Object.entries({ ...rowStatements(names.locks, count), ...upkeepStatements(names) });
  const prepared = statements.map(([name, text]) => [name, { name: `bedrock_${name}_${count}`, text }]);
  return Object.fromEntries(prepared) as PreparedStatements;
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= MAX_NAMES) names.clear();
  names.add(name);
}

function releaseFreeValues({ resource, id }: RowRelease): readonly unknown[] {
  return [resource, id];
}

function releaseValues(request: RowRelease): readonly unknown[] {
  return [...releaseFreeValues(request), request.keepUs, request.leavingKey];
}

function acquireFreeValues({
  resource,
  id,
  units,
  lifeUs,
  tokens,
  notAfterUs,
}: RowAcquire): readonly unknown[] {
  return [resource, id, units, lifeUs, tokens, notAfterUs];
}

function acquireValues(request: RowAcquire): readonly unknown[] {
  const { key, processId, isShared, capacity, queue } = request;
  return [...acquireFreeValues(request), key, processId, isShared, capacity, queue];
}

function acquiredFrom(row: ResultRow, tokens: number): RowAcquired {
  const first = tokens === 0 ? 0 : Number(row['given']) - tokens + 1;
  return { done: true, firstToken: first, nowUs: Number(row['now_us']) };
}

function snapshotFrom(rows: readonly ResultRow[]): RowsSnapshot {
  const found = rows.filter((row) => row['resource'] !== null).map(lockRowOf);
  return { nowUs: Number(rows[0]?.['now_us'] ?? 0), rows: found };
}

function processRowOf({ id, host, pid, label }: ResultRow): ProcessRow {
  return { id: String(id), host: String(host), pid: Number(pid), label: textOrNull(label) };
}

/** A row as the client library reads it: numbers of 64 bits come as text. */
function lockRowOf(row: ResultRow): LockRow {
  return {
    resource: String(row['resource']),
    version: Number(row['version']),
    holder: String(row['holder']),
    untilUs: Number(row['until_us']),
    units: Number(row['units']),
    depth: Number(row['depth']),
    revoked: row['revoked'] === true,
    token: Number(row['token']),
    endsUs: Number(row['ends_us']),
    crowd: textOrNull(row['crowd']),
    line: textOrNull(row['line']),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function channelFor({ kind, processId }: RowNotification): string {
  return kind === 'suspect' || processId === undefined ? SUSPECTS_CHANNEL : processChannel(processId);
}

/** `<claim id, if it is for one> <resource>` */
function messageOf({ claimId = '', resource }: RowNotification): string {
  return `${claimId} ${resource}`;
}
