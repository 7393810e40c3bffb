import type { Way } from '../account.js';
import type { Answer } from '../answer.js';
import { atOnce } from '../crowd.js';
import { Tables } from '../tables.js';
import type { Bench } from './bench.js';

const GOODS = 'goods-1';

interface Sale {
  readonly name: string;
  readonly stock: number;
  /** How many it is known to sell. */
  readonly sold: number;
  readonly buy: (goodsId: string, num: number) => Promise<Answer>;
}

/** Many buyers at once, each of whom wants one item. */
export async function sell({ app, requests }: Bench, { name, stock, sold, buy }: Sale): Promise<Way> {
  const tables = app.get(Tables);
  await tables.renew('tb_stock');
  await tables.putStock(GOODS, stock);
  const turnout = await atOnce(requests, () => buy(GOODS, 1));
  return {
    name,
    requests,
    seen: {
      'in stock': stock,
      succeeded: turnout.count('success'),
      refused: turnout.count('overtaken') + turnout.count('sold out'),
      'stock left': await tables.stockLeft(),
    },
    known: { 'in stock': stock, succeeded: sold, refused: requests - sold, 'stock left': stock - sold },
    failures: turnout.failures,
  };
}
