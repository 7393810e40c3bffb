import type { Answer } from '../connection/link.js';
import type { LinkPool } from '../connection/link-pool.js';
import type { LockRow, ProcessRow } from '../rows/lock-row.js';
import type {
  Call,
  Change,
  Give,
  Given,
  LockTable,
  NotDone,
  Prolong,
  Reading,
  Refused,
  Take,
  Taken,
} from '../rows/lock-table.js';
import { DOUBTS_CHANNEL, processChannel, type TableNames } from './names.js';
import { StatementBatch } from './statement-batch.js';
import { rowStatements, type RowStatements } from './statements.js';
import { upkeepStatements, type UpkeepStatements } from './upkeep-statements.js';

type Row = Answer['rows'][number];

/** Names that are remembered, at most: who is forgotten costs one statement more. */
const MOST_NAMES = 20_000;
type StatementName = keyof RowStatements | keyof UpkeepStatements;
/** The statements, each with the name under which a connection keeps it prepared. */
type Prepared = Readonly<Record<StatementName, { readonly name: string; readonly text: string }>>;

const NONE: NotDone = { done: false, nowUs: 0, row: undefined };

/** The rows of locks in PostgreSQL. */
export class PostgresTable implements LockTable {
  readonly decidesAll = true;
  readonly #statements: Readonly<Record<'one' | 'many', Prepared>>;
  /** Rows that this process has seen: others are made with the grant, in one statement. */
  readonly #made = new Set<string>();
  /** Rows where somebody waited lately, or which many share: there the short statements are of no use. */
  readonly #busy = new Set<string>();
  readonly #takingNew: StatementBatch<Take>;
  readonly #takingFree: StatementBatch<Take>;
  readonly #taking: StatementBatch<Take>;
  readonly #givingFree: StatementBatch<Give>;
  readonly #giving: StatementBatch<Give>;

  constructor(
    private readonly pool: LinkPool,
    names: TableNames,
  ) {
    this.#statements = { one: preparedFor(names, 'one'), many: preparedFor(names, 'many') };
    this.#takingNew = this.#batch('takeNew', takeFreeValues);
    this.#takingFree = this.#batch('takeFree', takeFreeValues);
    this.#taking = this.#batch('take', takeValues);
    this.#givingFree = this.#batch('giveFree', giveFreeValues);
    this.#giving = this.#batch('give', giveValues);
  }

  async create(resources: readonly string[], by: number): Promise<void> {
    await this.#run('create', [resources], by);
    for (const resource of resources) remember(this.#made, resource);
  }

  async take(take: Take, by: number): Promise<Taken | Refused | NotDone> {
    const { resource, tokens, isShared, units, capacity } = take;
    const isWhole = !isShared && units === capacity;
    if (isWhole && !this.#made.has(resource)) {
      const made = await this.#takingNew.add(take, by);
      remember(this.#made, resource);
      if (made !== undefined) return takenOf(made, tokens);
    }
    if (isWhole && !this.#busy.has(resource)) {
      const taken = await this.#takingFree.add(take, by);
      if (taken !== undefined) return takenOf(taken, tokens);
    }
    const row = await this.#taking.add(take, by);
    if (row === undefined) return this.#isGone(resource);
    const isQuiet = row['given'] !== null && row['crowd'] === null && row['line'] === null;
    if (isQuiet) this.#busy.delete(resource);
    else remember(this.#busy, resource);
    if (row['given'] !== null) return takenOf(row, tokens);
    return { done: true, nowUs: Number(row['now_us']), refused: lockRowOf(row) };
  }

  async give(give: Give, by: number): Promise<Given | NotDone> {
    // What is shared stands in a crowd, which the short statement leaves alone.
    if (give.keepUs === 0 && !give.isShared && !this.#busy.has(give.resource)) {
      const given = await this.#givingFree.add(give, by);
      if (given !== undefined) return { done: true, outcome: 'released' };
    }
    const row = await this.#giving.add(give, by);
    if (row === undefined) return this.#isGone(give.resource);
    const outcome = row['is_known'] === true ? 'released' : 'absent';
    return { done: true, nowUs: Number(row['now_us']), outcome };
  }

  async prolong(prolongs: readonly Prolong[], by: number): Promise<readonly boolean[]> {
    const resources = prolongs.map(({ resource }) => resource);
    const ids = prolongs.map(({ id }) => id);
    const lives = prolongs.map(({ lifeUs }) => lifeUs);
    const rows = await this.#run('prolong', [resources, ids, lives], by);
    const holders = new Map(rows.map((row) => [row['resource'], row['holder']]));
    return prolongs.map(({ resource, id }) => holders.get(resource) === id);
  }

  async read(resources: readonly string[], by: number): Promise<Reading> {
    const rows = await this.#run('read', [resources], by);
    const found = rows.filter((row) => row['resource'] !== null).map(lockRowOf);
    return { nowUs: Number(rows[0]!['now_us']), rows: found };
  }

  async swap({ seenVersion, row, notAfterUs, wakes }: Change, by: number): Promise<boolean> {
    const { resource, holder, untilUs, units, depth, revoked, token, endsUs, crowd, line } = row;
    const [answer] = await this.#run(
      'swap',
      [
        ...[
          resource,
          seenVersion,
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
        ...[wakes.map(channelFor), wakes.map(messageOf)],
      ],
      by,
    );
    return answer?.['done'] === 1;
  }

  async remove(resources: readonly string[], by: number): Promise<readonly string[]> {
    for (const resource of resources) this.#made.delete(resource);
    const rows = await this.#run('remove', [resources], by);
    return rows.map((row) => String(row['resource']));
  }

  async sweep(idleUs: number, limit: number, by: number): Promise<void> {
    await this.#run('sweep', [idleUs, limit], by);
  }

  async sign({ id, host, pid, label }: ProcessRow, by: number): Promise<void> {
    await this.#run('sign', [id, host, pid, label], by);
  }

  async erase(processId: string, by: number): Promise<void> {
    await this.#run('erase', [processId], by);
  }

  async processes(ids: readonly string[], by: number): Promise<readonly ProcessRow[]> {
    const rows = await this.#run('processes', [ids], by);
    return rows.map(({ id, host, pid, label }) => ({
      id: String(id),
      host: String(host),
      pid: Number(pid),
      label: textOrNull(label),
    }));
  }

  #batch<T extends Take | Give>(
    name: StatementName,
    valuesOf: (item: T) => readonly unknown[],
  ): StatementBatch<T> {
    const one = this.#statements.one[name];
    const many = this.#statements.many[name];
    return new StatementBatch((count, values, by) => {
      const statement = count === 'one' ? one : many;
      return this.pool.run({ name: statement.name, text: statement.text, values }, by);
    }, valuesOf);
  }

  async #run(name: StatementName, values: readonly unknown[], by: number): Promise<readonly Row[]> {
    const { name: ownName, text } = this.#statements.one[name];
    const { rows } = await this.pool.run({ name: ownName, text, values }, by);
    return rows;
  }

  #isGone(resource: string): NotDone {
    this.#made.delete(resource);
    return NONE;
  }
}

function preparedFor(names: TableNames, count: 'one' | 'many'): Prepared {
  const statements = Object.entries({ ...rowStatements(names.locks, count), ...upkeepStatements(names) });
  const prepared = statements.map(([name, text]) => [name, { name: `bedrock_${name}_${count}`, text }]);
  return Object.fromEntries(prepared) as Prepared;
}

function remember(names: Set<string>, name: string): void {
  if (names.size >= MOST_NAMES) names.clear();
  names.add(name);
}

function giveFreeValues({ resource, id }: Give): readonly unknown[] {
  return [resource, id];
}

function giveValues(give: Give): readonly unknown[] {
  return [...giveFreeValues(give), give.keepUs, give.leaver];
}

function takeFreeValues({ resource, id, units, lifeUs, tokens, notAfterUs }: Take): readonly unknown[] {
  return [resource, id, units, lifeUs, tokens, notAfterUs];
}

function takeValues(take: Take): readonly unknown[] {
  const { key, processId, isShared, capacity, queue } = take;
  return [...takeFreeValues(take), key, processId, isShared, capacity, queue];
}

function takenOf(row: Row, tokens: number): Taken {
  const first = tokens === 0 ? 0 : Number(row['given']) - tokens + 1;
  return { done: true, first, nowUs: Number(row['now_us']) };
}

/** A row as the client library reads it: numbers of 64 bits come as text. */
function lockRowOf(row: Row): LockRow {
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

function channelFor({ kind, processId }: Call): string {
  return kind === 'doubt' || processId === undefined ? DOUBTS_CHANNEL : processChannel(processId);
}

/** `<claim id, if it is for one> <resource>` */
function messageOf({ claimId = '', resource }: Call): string {
  return `${claimId} ${resource}`;
}
