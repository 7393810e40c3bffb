import { Injectable } from '@nestjs/common';
import { multiLock, Mutex } from 'bedrock-lock';
import { InjectLock } from 'nestjs-bedrock';
import type { Answer } from './answer.js';
import { Database, isDeadlock } from './database.js';
import type { Link } from './link.js';
import { noPause, type Pause } from './pause.js';

type Row = 'stock' | 'account';

const LOCK: Readonly<Record<Row, string>> = {
  stock: 'select amount as value from tb_stock where goods_id = ? for update',
  account: 'select balance as value from tb_account where user_id = ? for update',
};

export interface Purchase {
  readonly goodsId: string;
  readonly userId: string;
  readonly price: number;
  /** The row that the caller locks first. Two callers with different choices deadlock when they meet. */
  readonly first: Row;
}

/** The pessimistic lock: locks the rows of the stock and of the account one after the other, then writes both. */
@Injectable()
export class PessimisticRowsService {
  constructor(
    private readonly database: Database,
    @InjectLock('stock') private readonly stock: Mutex,
    @InjectLock('account') private readonly account: Mutex,
  ) {}

  /** @param lockedOne called between the first row and the second */
  async buy(purchase: Purchase, lockedOne: Pause = noPause): Promise<Answer> {
    try {
      return await this.database.transaction((link) => this.#buy(link, purchase, lockedOne));
    } catch (error) {
      if (isDeadlock(error)) return 'deadlock';
      throw error;
    }
  }

  /** The same under Bedrock's locks of both, which are acquired in one order however the caller names them. */
  buyLocked(purchase: Purchase): Promise<Answer> {
    const { goodsId, userId, first } = purchase;
    const both = [this.stock.for(goodsId), this.account.for(userId)];
    if (first === 'account') both.reverse();
    return multiLock(both).run(() => this.buy(purchase));
  }

  async #buy(link: Link, purchase: Purchase, lockedOne: Pause): Promise<Answer> {
    const { goodsId, userId, price, first } = purchase;
    const keys = { stock: goodsId, account: userId };
    const lock = async (row: Row): Promise<number> => {
      const [found] = await link.rows<{ value: number }>(LOCK[row], [keys[row]]);
      return found?.value ?? 0;
    };
    const one = await lock(first);
    await lockedOne();
    const other = await lock(first === 'stock' ? 'account' : 'stock');
    const [amount, balance] = first === 'stock' ? [one, other] : [other, one];
    if (amount < 1 || balance < price) return 'sold out';
    await link.change('update tb_stock set amount = amount - 1 where goods_id = ?', [goodsId]);
    await link.change('update tb_account set balance = balance - ? where user_id = ?', [price, userId]);
    return 'success';
  }
}
