import { OncePerTurn } from '../../../runtime/after-microtasks.js';
import type { ResultRow, SqlResult } from '../connection/link.js';

/** Items in one statement, at most: the server works on one statement while the client prepares the next. */
const MAX_ITEMS = 32;

const NO_COLUMNS: ResultRow = {};

interface PendingStatement<T> {
  readonly item: T;
  readonly deadline: number;
  readonly resolve: (row: ResultRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the requests of one turn and sends them in one statement, which takes a list for each column; a
 * lone item has a statement with less to do. Each item has a
 * resource of its own, and gets the row that the statement answers for it.
 */
export class StatementBatcher<T extends { readonly resource: string }> {
  #pending: PendingStatement<T>[] = [];
  readonly #batch = new OncePerTurn(() => this.#flush());

  constructor(
    private readonly run: (
      count: 'one' | 'many',
      values: readonly unknown[],
      deadline: number,
    ) => Promise<SqlResult>,
    /** The values of an item, in the order of the statement's parameters. */
    private readonly valuesOf: (item: T) => readonly unknown[],
  ) {}

  /** The row for the item; undefined when there is none. */
  add(item: T, deadline: number): Promise<ResultRow | undefined> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ item, deadline, resolve, reject });
      this.#batch.schedule();
    });
  }

  #flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length === 1) return this.#sendAlone(pending[0]!);
    for (let at = 0; at < pending.length; at += MAX_ITEMS) void this.#send(pending.slice(at, at + MAX_ITEMS));
  }

  #sendAlone({ item, deadline, resolve, reject }: PendingStatement<T>): void {
    this.run('one', this.valuesOf(item), deadline).then(
      // A change that gives nothing back has found its row all the same.
      ({ rows, affected }) => resolve(rows[0] ?? (affected > 0 ? NO_COLUMNS : undefined)),
      reject,
    );
  }

  async #send(batch: readonly PendingStatement<T>[]): Promise<void> {
    if (batch.length === 1) return this.#sendAlone(batch[0]!);
    const items = batch.map(({ item }) => this.valuesOf(item));
    const columns = items[0]!.map((_, column) => items.map((values) => values[column]));
    try {
      const { rows } = await this.run('many', columns, Math.min(...batch.map(({ deadline }) => deadline)));
      const byResource = new Map(rows.map((row) => [row['resource'], row]));
      for (const { item, resolve } of batch) resolve(byResource.get(item.resource));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
