import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Order, OrderList, OrderRequest } from '../common/contract.js';
import { Database } from '../common/database.js';
import { DuplicateKeyError } from '../common/duplicate-key.error.js';
import { readOrders } from './order.rows.js';

/** How an order ended. */
export type Ending =
  { readonly status: 'confirmed' } | { readonly status: 'failed'; readonly reason: string };

/** The stored orders. All methods throw DatabaseError. */
@Injectable()
export class OrderRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes a pending order with its lines and its operation id, in one transaction.
   * @returns the order, and whether it is new under this key
   */
  async create(requestKey: string, request: OrderRequest): Promise<{ order: Order; isNew: boolean }> {
    const id = randomUUID();
    try {
      await this.#insert(id, requestKey, request);
      return { order: (await this.find(id))!, isNew: true };
    } catch (error) {
      if (!(error instanceof DuplicateKeyError)) throw error;
      return { order: (await this.#one('WHERE request_key = ?', requestKey))!, isNew: false };
    }
  }

  /** Ends a pending order; an ended one stays as it is. @returns the order if this changed it */
  async settle(id: string, ending: Ending): Promise<Order | undefined> {
    const changed = await this.database.transaction((session) =>
      session.change(
        `UPDATE orders SET status = ?, reason = ?, settled_at = UTC_TIMESTAMP(3)
         WHERE id = ? AND status = 'pending'`,
        [ending.status, ending.status === 'failed' ? ending.reason.slice(0, 200) : null, id],
      ),
    );
    return changed === 0 ? undefined : this.find(id);
  }

  find(id: string): Promise<Order | undefined> {
    return this.#one('WHERE id = ?', id);
  }

  /** Counts of all orders, and the newest ones first, of one snapshot. */
  list(limit: number): Promise<OrderList> {
    return this.database.snapshot(async (session) => {
      const counts = await session.rows<{ status: Order['status']; count: number }>(
        'SELECT status, COUNT(*) AS count FROM orders GROUP BY status',
      );
      const of = (status: Order['status']) => counts.find((one) => one.status === status)?.count ?? 0;
      const [confirmed, failed, pending] = [of('confirmed'), of('failed'), of('pending')];
      const orders = await readOrders(session, 'ORDER BY number DESC LIMIT ?', [limit]);
      return { total: confirmed + failed + pending, confirmed, failed, pending, orders };
    });
  }

  /** Orders pending for at least this time, the oldest first. */
  pending(forMs: number, limit: number): Promise<readonly Order[]> {
    const where = `WHERE status = 'pending' AND created_at <= UTC_TIMESTAMP(3) - INTERVAL ? MICROSECOND
                   ORDER BY number LIMIT ?`;
    return this.database.snapshot((session) => readOrders(session, where, [forMs * 1_000, limit]));
  }

  async #insert(id: string, requestKey: string, { customer, lines }: OrderRequest): Promise<void> {
    await this.database.transaction(async (session) => {
      const order = 'INSERT INTO orders (id, request_key, customer, operation_id) VALUES (?, ?, ?, ?)';
      await session.change(order, [id, requestKey, customer, randomUUID()]);
      for (const [position, { goodsId, quantity }] of lines.entries()) {
        const line = `INSERT INTO order_lines (order_number, position, goods_id, quantity)
                      SELECT number, ?, ?, ? FROM orders WHERE id = ?`;
        await session.change(line, [position, goodsId, quantity, id]);
      }
    });
  }

  async #one(where: string, value: string): Promise<Order | undefined> {
    const [order] = await this.database.snapshot((session) => readOrders(session, where, [value]));
    return order;
  }
}
