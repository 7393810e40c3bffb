import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-bedrock';
import type { Answer } from './answer.js';
import { Database } from './database.js';
import { noPause, type Pause } from './pause.js';

interface StockRow {
  readonly amount: number;
  readonly version: number;
}

/**
 * The optimistic lock by version: writes the stock only if it is unchanged since it was read. It never oversells, but
 * only one of several simultaneous readers succeeds, whatever is in stock.
 */
@Injectable()
export class OptimisticVersionService {
  constructor(private readonly database: Database) {}

  /** @param looked called between reading and writing */
  buy(goodsId: string, num: number, looked: Pause = noPause): Promise<Answer> {
    return this.database.session(async (link) => {
      const [stock] = await link.rows<StockRow>('select amount, version from tb_stock where goods_id = ?', [
        goodsId,
      ]);
      await looked();
      if (stock === undefined || stock.amount < num) return 'sold out';
      const { affectedRows } = await link.change(
        'update tb_stock set amount = amount - ?, version = version + 1 where goods_id = ? and version = ?',
        [num, goodsId, stock.version],
      );
      return affectedRows === 1 ? 'success' : 'overtaken';
    });
  }

  /** The same, one buyer of the goods at a time: no buyer is overtaken. */
  @DistributedLock({ lock: 'stock', key: '{0}' })
  buyLocked(goodsId: string, num: number): Promise<Answer> {
    return this.buy(goodsId, num);
  }
}
