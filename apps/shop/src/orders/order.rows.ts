import type { Order, OrderLine, OrderStatus } from '../common/contract.js';
import type { Session } from '../common/database.js';

/** A row of the table `orders`. */
interface OrderRow {
  readonly number: number;
  readonly id: string;
  readonly customer: string;
  readonly status: OrderStatus;
  readonly reason: string | null;
  readonly operation_id: string;
  readonly created_at: Date;
  readonly settled_at: Date | null;
}

interface LineRow {
  readonly number: number;
  readonly goodsId: string;
  readonly quantity: number;
}

/** Orders with their lines. @param where the SQL after the table's name, with `?` for the values */
export async function readOrders(
  session: Session,
  where: string,
  values: readonly (string | number)[],
): Promise<readonly Order[]> {
  const rows = await session.rows<OrderRow>(`SELECT * FROM orders ${where}`, values);
  if (rows.length === 0) return [];
  const marks = rows.map(() => '?').join(',');
  const lines = await session.rows<LineRow>(
    `SELECT order_number AS number, goods_id AS goodsId, quantity
     FROM order_lines WHERE order_number IN (${marks}) ORDER BY order_number, position`,
    rows.map(({ number }) => number),
  );
  const byOrder = new Map(rows.map(({ number }) => [number, [] as LineRow[]]));
  for (const line of lines) byOrder.get(line.number)?.push(line);
  return rows.map((row) => orderOf(row, byOrder.get(row.number)!));
}

function orderOf(row: OrderRow, lines: readonly LineRow[]): Order {
  return {
    id: row.id,
    customer: row.customer,
    status: row.status,
    ...(row.reason !== null && { reason: row.reason }),
    operationId: row.operation_id,
    lines: lines.map(({ goodsId, quantity }): OrderLine => ({ goodsId, quantity })),
    createdAt: row.created_at.toISOString(),
    ...(row.settled_at !== null && { settledAt: row.settled_at.toISOString() }),
  };
}
