import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';

/** The contents of the two databases, of one moment. */
export interface Ledger {
  readonly goods: readonly { readonly id: string; readonly start: number; readonly amount: number }[];
  readonly orders: readonly LedgerOrder[];
  /** In the order in which they were written. */
  readonly flows: readonly LedgerFlow[];
}

export interface LedgerOrder {
  readonly id: string;
  readonly requestKey: string;
  readonly operationId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly lines: readonly { readonly goodsId: string; readonly quantity: number }[];
}

export interface LedgerFlow {
  readonly operationId: string;
  readonly goodsId: string;
  readonly quantity: number;
  readonly token: number;
}

/** Everything that is wrong with the books, one line each, at whatever moment they are looked at. */
export function breaches({ goods, orders, flows }: Ledger): string[] {
  const byOperation = new Map(orders.map((order) => [order.operationId, order]));
  return [
    ...goods.flatMap(({ id, start, amount }) => {
      const sold = flows.filter(({ goodsId }) => goodsId === id).reduce((sum, one) => sum + one.quantity, 0);
      const is = `${start} at the start, ${sold} in flows, ${amount} left`;
      return start - sold === amount && amount >= 0 ? [] : [`${id}: ${is}`];
    }),
    ...orders.flatMap((order) => {
      const written = flows.filter(({ operationId }) => operationId === order.operationId);
      const isWhole = textOf(written) === textOf(order.lines);
      const isRight = order.status === 'failed' ? written.length === 0 : isWhole;
      // A pending order may have flows of which it has not heard; all of them, or none.
      if (isRight || (order.status === 'pending' && written.length === 0)) return [];
      return [`${order.status} order ${order.id}: ${textOf(order.lines)} wanted, flows ${textOf(written)}`];
    }),
    ...flows
      .filter(({ operationId }) => !byOperation.has(operationId))
      .map(({ operationId }) => `flow of ${operationId}: no order`),
    ...duplicates(orders.map(({ requestKey }) => requestKey)).map((key) => `two orders of the key ${key}`),
    ...goods.flatMap(({ id }) => {
      const tokens = flows.filter(({ goodsId }) => goodsId === id).map(({ token }) => token);
      return tokens.every((token, at) => at === 0 || token > tokens[at - 1]!)
        ? []
        : [`${id}: not one at a time, tokens ${tokens.join(' ')}`];
    }),
  ];
}

/** Reads both databases in one snapshot, past the services. */
export class LedgerReader {
  readonly #connection: Connection;

  static async open(
    url: string,
    databases: { readonly orders: string; readonly stock: string },
  ): Promise<LedgerReader> {
    return new LedgerReader(await createConnection({ uri: url, supportBigNumbers: true }), databases);
  }

  private constructor(
    connection: Connection,
    private readonly databases: { readonly orders: string; readonly stock: string },
  ) {
    this.#connection = connection;
  }

  async read(): Promise<Ledger> {
    const { orders, stock } = this.databases;
    await this.#connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await this.#connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    try {
      const lines = await this.#rows<{ number: number; goodsId: string; quantity: number }>(
        `SELECT order_number AS number, goods_id AS goodsId, quantity FROM ${orders}.order_lines`,
      );
      const rows = await this.#rows<LedgerOrder & { number: number }>(
        `SELECT number, id, request_key AS requestKey, operation_id AS operationId, status, reason
         FROM ${orders}.orders ORDER BY number`,
      );
      return {
        goods: await this.#rows(`SELECT goods_id AS id, start_amount AS start, amount FROM ${stock}.goods`),
        orders: rows.map((row) => ({ ...row, lines: lines.filter(({ number }) => number === row.number) })),
        flows: await this.#rows(
          `SELECT operation_id AS operationId, goods_id AS goodsId, quantity, token
           FROM ${stock}.flows ORDER BY id`,
        ),
      };
    } finally {
      await this.#connection.query('COMMIT');
    }
  }

  async close(): Promise<void> {
    await this.#connection.end();
  }

  async #rows<T>(sql: string): Promise<T[]> {
    const [rows] = await this.#connection.query<RowDataPacket[]>(sql);
    return rows as T[];
  }
}

function textOf(lines: readonly { readonly goodsId: string; readonly quantity: number }[]): string {
  return lines
    .map(({ goodsId, quantity }) => `${quantity} ${goodsId}`)
    .toSorted()
    .join(', ');
}

function duplicates(values: readonly string[]): string[] {
  return values.filter((value, at) => values.indexOf(value) < at);
}
