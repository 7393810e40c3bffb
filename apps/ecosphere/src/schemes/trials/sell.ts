import type { Way } from '../account.js';
import type { Answer } from '../answer.js';
import { atOnce } from '../concurrent-requests.js';
import { Tables } from '../tables.js';
import type { TrialSetup } from './trial-setup.js';

const GOODS = 'goods-1';

interface Sale {
  readonly name: string;
  readonly stock: number;
  /** The known number of sales. */
  readonly sold: number;
  readonly buy: (goodsId: string, num: number) => Promise<Answer>;
}

/** Many buyers at once, each of whom wants one item. */
export async function sell({ app, requests }: TrialSetup, { name, stock, sold, buy }: Sale): Promise<Way> {
  const tables = app.get(Tables);
  await tables.renew('tb_stock');
  await tables.putStock(GOODS, stock);
  const outcomes = await atOnce(requests, () => buy(GOODS, 1));
  return {
    name,
    requests,
    seen: {
      'in stock': stock,
      succeeded: outcomes.count('success'),
      refused: outcomes.count('overtaken') + outcomes.count('sold out'),
      'stock left': await tables.stockLeft(),
    },
    known: { 'in stock': stock, succeeded: sold, refused: requests - sold, 'stock left': stock - sold },
    failures: outcomes.failures,
  };
}
