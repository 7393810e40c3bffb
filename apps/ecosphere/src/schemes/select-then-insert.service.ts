import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-bedrock';
import type { Answer } from './answer.js';
import { Database, isDuplicate } from './database.js';
import type { Order } from './order.js';
import { noPause, type Pause } from './pause.js';

/**
 * The scheme of "select, then insert": checks for the order, and inserts it if absent, in one transaction. Right for
 * one request at a time; of several concurrent ones, none sees the order.
 */
@Injectable()
export class SelectThenInsertService {
  constructor(private readonly database: Database) {}

  /** @param looked called between the check and the insertion */
  async addOrder(order: Order, looked: Pause = noPause): Promise<Answer> {
    try {
      return await this.database.transaction<Answer>(async (link) => {
        const found = await link.rows('select row_no from tb_order where id = ?', [order.id]);
        await looked();
        if (found.length > 0) return 'repeat request';
        const { id, goodsId, num } = order;
        await link.change('insert into tb_order (id, goods_id, num) values (?, ?, ?)', [id, goodsId, num]);
        return 'success';
      });
    } catch (error) {
      // Only a unique index raises this error, and it fixes the scheme.
      if (isDuplicate(error)) return 'repeat request';
      throw error;
    }
  }

  /** The same, one request for an order at a time: each checks after the previous transaction has ended. */
  @DistributedLock({ lock: 'order', key: '{0.id}' })
  addOrderLocked(order: Order): Promise<Answer> {
    return this.addOrder(order);
  }
}
