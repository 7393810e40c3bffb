import { Injectable } from '@nestjs/common';
import type { Answer } from './answer.js';
import { Database, isDuplicate } from './database.js';
import type { Order } from './order.js';
import { noPause, type Pause } from './pause.js';

/**
 * The scheme of the duplicate table: writes a row with a unique index first, then the order, in one transaction. A
 * request that finds the row is a repetition.
 */
@Injectable()
export class DuplicateTableService {
  constructor(private readonly database: Database) {}

  /** @param begun called when the transaction has begun */
  async addOrder(order: Order, begun: Pause = noPause): Promise<Answer> {
    try {
      return await this.database.transaction<Answer>(async (link) => {
        await begun();
        await link.change('insert into tb_duplicate (id) values (?)', [order.id]);
        const { id, goodsId, num } = order;
        await link.change('insert into tb_order (id, goods_id, num) values (?, ?, ?)', [id, goodsId, num]);
        return 'success';
      });
    } catch (error) {
      if (isDuplicate(error)) return 'repeat request';
      throw error;
    }
  }
}
