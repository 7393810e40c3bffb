import { Injectable } from '@nestjs/common';
import type { Answer } from './answer.js';
import { Database } from './database.js';
import { noPause, type Pause } from './pause.js';

/**
 * The optimistic lock by condition: takes the stock if enough is left, even if other buyers have taken some. One
 * statement, so it needs no lock: it never oversells, and refuses no buyer while stock is left.
 */
@Injectable()
export class OptimisticConditionService {
  constructor(private readonly database: Database) {}

  /** @param looked called when the buyer has seen the stock, before it is taken */
  buy(goodsId: string, num: number, looked: Pause = noPause): Promise<Answer> {
    return this.database.session(async (link) => {
      await link.rows('select amount from tb_stock where goods_id = ?', [goodsId]);
      await looked();
      const { affectedRows } = await link.change(
        'update tb_stock set amount = amount - ? where goods_id = ? and amount - ? >= 0',
        [num, goodsId, num],
      );
      return affectedRows === 1 ? 'success' : 'sold out';
    });
  }
}
