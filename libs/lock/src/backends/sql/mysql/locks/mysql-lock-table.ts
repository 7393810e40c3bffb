import type { Answer, Statement } from '../../connection/link.js';
import type { LinkPool } from '../../connection/link-pool.js';
import type { Glance, ProcessRow } from '../../rows/lock-row.js';
import type {
  Change,
  Give,
  Given,
  LockTable,
  NotDone,
  Prolong,
  Reading,
  Take,
  Taken,
} from '../../rows/lock-table.js';
import { lineFrom } from '../../rows/row-format.js';
import type { RowWatch } from './row-watch.js';
import { lockRowOf, LockStatements, textOf } from './lock-statements.js';

/** Rows that are known to be there, at most. */
const MOST_KNOWN = 20_000;
/** Where somebody else was seen, so many claims do not try the statement for a row that nobody waits for. */
const BUSY_FOR = 16;

export interface MysqlTableGround {
  readonly pool: LinkPool;
  readonly statements: LockStatements;
  /** Told what this process has, and where it stands in line. */
  readonly wakes: Pick<RowWatch, 'took' | 'gave' | 'wrote' | 'isBehind'>;
}

/** The rows of locks in MySQL and MariaDB, which answer a change with two numbers: rows that were found, and LAST_INSERT_ID. */
export class MysqlLockTable implements LockTable {
  readonly #statements: LockStatements;
  /** Rows that are there, as far as is known: for others the row is made with the grant. */
  readonly #known = new Set<string>();
  /** Rows with a line or a crowd, as far as is known, and for how many claims that is believed. */
  readonly #busy = new Map<string, number>();

  constructor(private readonly ground: MysqlTableGround) {
    this.#statements = ground.statements;
  }

  async create(resources: readonly string[], by: number): Promise<void> {
    await this.#run(this.#statements.create(resources), by);
    for (const resource of resources) this.#isThere(resource, true);
  }

  async take(take: Take, by: number): Promise<Taken | NotDone> {
    const { resource, key } = take;
    // A change that finds nothing to change costs a second statement: who is probably refused looks first.
    if (this.ground.wakes.isBehind(resource, key)) {
      const seen = await this.#notDone(resource, by);
      if (!isFreeFor(take, seen)) return seen;
    }
    const isKnown = this.#known.has(resource);
    if (!isKnown) {
      const made = await this.#takeBy(this.#statements.takeNew(take), take, by);
      if (made !== undefined) return made;
    }
    if (!this.#isBusy(resource)) {
      const taken = await this.#takeBy(this.#statements.takeFree(take), take, by);
      if (taken !== undefined) return taken;
      const seen = await this.#notDone(resource, by);
      if (seen.row === undefined) return this.#takeNew(take, by);
      if (!isFreeFor(take, seen)) return seen;
    }
    const taken = await this.#takeBy(this.#statements.take(take), take, by);
    if (taken !== undefined) return taken;
    const seen = await this.#notDone(resource, by);
    return seen.row === undefined && isKnown ? this.#takeNew(take, by) : seen;
  }

  async give(give: Give, by: number): Promise<Given | NotDone> {
    const { affected, insertId } = await this.#run(this.#statements.give(give), by);
    if (affected === 0) return this.#notDone(give.resource, by);
    this.ground.wakes.gave(give.resource);
    return { done: true, nowUs: insertId };
  }

  async prolong(prolongs: readonly Prolong[], by: number): Promise<readonly boolean[]> {
    const inOrder = [...prolongs].sort((a, b) => (a.resource < b.resource ? -1 : 1));
    const { affected } = await this.#run(this.#statements.prolong(inOrder), by);
    // The number of rows does not say which: where some are missing, each is asked for by itself.
    if (affected === prolongs.length) return prolongs.map(() => true);
    if (affected === 0 || prolongs.length === 1) return prolongs.map(() => false);
    const half = Math.ceil(prolongs.length / 2);
    const parts = [prolongs.slice(0, half), prolongs.slice(half)];
    return (await Promise.all(parts.map((part) => this.prolong(part, by)))).flat();
  }

  async read(resources: readonly string[], by: number): Promise<Reading> {
    const { rows } = await this.#run(this.#statements.read(resources), by);
    const nowUs = Math.max(...rows.map((row) => Number(row['now_us'])));
    return { nowUs, rows: rows.map(lockRowOf).filter((row) => row !== undefined) };
  }

  async swap(change: Change, by: number): Promise<boolean> {
    const { affected } = await this.#run(this.#statements.swap(change), by);
    if (affected === 1) this.ground.wakes.wrote(change);
    return affected === 1;
  }

  async remove(resources: readonly string[], by: number): Promise<readonly string[]> {
    for (const resource of resources) this.#isThere(resource, false);
    const { affected } = await this.#run(this.#statements.remove(resources), by);
    if (affected === resources.length) return resources;
    const { rows } = await this.#run(this.#statements.present(resources), by);
    const left = new Set(rows.map((row) => textOf(row['resource'])));
    return resources.filter((resource) => !left.has(resource));
  }

  async sweep(idleUs: number, limit: number, by: number): Promise<void> {
    const { rows } = await this.#run(this.#statements.abandoned(idleUs, limit), by);
    const names = rows.map((row) => textOf(row['resource']));
    if (names.length > 0) await this.#run(this.#statements.remove(names), by);
    await this.#run(this.#statements.forgetProcesses(idleUs), by);
  }

  async sign(process: ProcessRow, by: number): Promise<void> {
    await this.#run(this.#statements.sign(process), by);
  }

  async erase(processId: string, by: number): Promise<void> {
    await this.#run(this.#statements.erase(processId), by);
  }

  async processes(ids: readonly string[], by: number): Promise<readonly ProcessRow[]> {
    const { rows } = await this.#run(this.#statements.processes(ids), by);
    return rows.map(({ id, host, pid, label }) => ({
      ...{ id: textOf(id), host: textOf(host), pid: Number(pid) },
      label: label === null ? null : textOf(label),
    }));
  }

  async #takeBy(statement: Statement, take: Take, by: number): Promise<Taken | undefined> {
    const { affected, insertId } = await this.#run(statement, by);
    if (affected === 0) return undefined;
    const { wakes } = this.ground;
    this.#isThere(take.resource, true);
    wakes.took(take.resource);
    if (take.tokens === 0) return { done: true, first: 0, nowUs: insertId };
    // There is room for one number in the answer.
    return { done: true, first: insertId + 1 };
  }

  /** The row was removed meanwhile. */
  async #takeNew(take: Take, by: number): Promise<Taken | NotDone> {
    return (await this.#takeBy(this.#statements.takeNew(take), take, by)) ?? this.#notDone(take.resource, by);
  }

  /** Counts how often that was asked since somebody was seen there. */
  #isBusy(resource: string): boolean {
    if (this.#busy.size === 0) return false;
    const left = this.#busy.get(resource) ?? 0;
    if (left > 1) this.#busy.set(resource, left - 1);
    else this.#busy.delete(resource);
    return left > 0;
  }

  #isThere(resource: string, isThere: boolean): void {
    if (!isThere) this.#known.delete(resource);
    else if (this.#known.size < MOST_KNOWN) this.#known.add(resource);
  }

  async #notDone(resource: string, by: number): Promise<NotDone> {
    const { nowUs, rows } = await this.read([resource], by);
    const [row] = rows;
    this.#isThere(resource, row !== undefined);
    const isQuiet = row === undefined || (row.crowd === null && row.line === null);
    if (isQuiet) this.#busy.delete(resource);
    else if (this.#busy.size < MOST_KNOWN) this.#busy.set(resource, BUSY_FOR);
    return { done: false, nowUs, row };
  }

  #run(statement: Statement, by: number): Promise<Answer> {
    return this.ground.pool.run(statement, by);
  }
}

/** Whether `take` would be done, as far as can be seen. */
function isFreeFor({ id, key }: Take, { row, nowUs }: Glance): boolean {
  if (row === undefined || row.crowd !== null) return false;
  const isEnded = row.holder === '' || row.untilUs <= nowUs;
  if (!isEnded) return row.holder === id && !row.revoked;
  const [first] = lineFrom(row);
  return first === undefined || first.key === key;
}
