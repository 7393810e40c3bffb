import { afterMicrotasks } from '../../../runtime/after-microtasks.js';
import type { Answer } from '../connection/link.js';

type Row = Answer['rows'][number];

/** Items in one statement, at most: the server works on one statement while the client prepares the next. */
const MOST_ITEMS = 32;

const NO_COLUMNS: Row = {};

interface Asked<T> {
  readonly item: T;
  readonly by: number;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers what is asked for in one turn and sends it in one statement, which takes a list for each column; a
 * lone item has a statement with less to do. Each item has a
 * resource of its own, and gets the row that the statement answers for it.
 */
export class StatementBatch<T extends { readonly resource: string }> {
  #asked: Asked<T>[] = [];

  constructor(
    private readonly run: (count: 'one' | 'many', values: readonly unknown[], by: number) => Promise<Answer>,
    /** The values of an item, in the order of the statement's parameters. */
    private readonly valuesOf: (item: T) => readonly unknown[],
  ) {}

  /** The row for the item; undefined when there is none. */
  add(item: T, by: number): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ item, by, resolve, reject });
      if (this.#asked.length === 1) afterMicrotasks(() => this.#flush());
    });
  }

  #flush(): void {
    const asked = this.#asked;
    this.#asked = [];
    if (asked.length === 1) return this.#sendAlone(asked[0]!);
    for (let at = 0; at < asked.length; at += MOST_ITEMS) void this.#send(asked.slice(at, at + MOST_ITEMS));
  }

  #sendAlone({ item, by, resolve, reject }: Asked<T>): void {
    this.run('one', this.valuesOf(item), by).then(
      // A change that gives nothing back has found its row all the same.
      ({ rows, affected }) => resolve(rows[0] ?? (affected > 0 ? NO_COLUMNS : undefined)),
      reject,
    );
  }

  async #send(batch: readonly Asked<T>[]): Promise<void> {
    if (batch.length === 1) return this.#sendAlone(batch[0]!);
    const items = batch.map(({ item }) => this.valuesOf(item));
    const columns = items[0]!.map((_, column) => items.map((values) => values[column]));
    try {
      const { rows } = await this.run('many', columns, Math.min(...batch.map(({ by }) => by)));
      const byResource = new Map(rows.map((row) => [row['resource'], row]));
      for (const { item, resolve } of batch) resolve(byResource.get(item.resource));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
