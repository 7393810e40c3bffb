import type { SchemeAccount, Way } from '../account.js';
import type { Answer } from '../answer.js';
import { atOnce } from '../crowd.js';
import { Meeting } from '../meeting.js';
import { PessimisticRowsService, type Purchase } from '../pessimistic-rows.service.js';
import { Tables } from '../tables.js';
import type { Bench } from './bench.js';

const PRICE = 10;

/** Pairs of purchases of the same goods by the same customer: one locks the stock first, the other the account. */
export async function pessimisticRows(bench: Bench): Promise<SchemeAccount> {
  const { app, requests } = bench;
  const pairs = requests / 2;
  const service = app.get(PessimisticRowsService);
  const meetings = Array.from({ length: pairs }, () => new Meeting(2));
  const plain = await run(bench, {
    name: 'each in its own order',
    deadlocks: pairs,
    buy: (purchase, pair) => service.buy(purchase, () => meetings[pair]!.join()),
  });
  const locked = await run(bench, {
    name: 'Bedrock: multiLock',
    deadlocks: 0,
    buy: (purchase) => service.buyLocked(purchase),
  });
  const said = ({ seen }: Way) =>
    `${seen.deadlocks} deadlocks, ${seen.succeeded} of ${requests} purchases made`;
  return {
    name: 'pessimistic lock, two rows',
    ways: [plain, locked],
    summary: `${said(plain)}; under Bedrock's multiLock ${said(locked)}`,
  };
}

interface Plan {
  readonly name: string;
  /** How many it is known for: the database ends one purchase of each pair that meets. */
  readonly deadlocks: number;
  readonly buy: (purchase: Purchase, pair: number) => Promise<Answer>;
}

async function run({ app, requests }: Bench, { name, deadlocks, buy }: Plan): Promise<Way> {
  const tables = app.get(Tables);
  await tables.renew('tb_stock', 'tb_account');
  for (let pair = 0; pair < requests / 2; pair += 1) {
    await tables.putStock(`goods-${pair}`, 2);
    await tables.putAccount(`user-${pair}`, 2 * PRICE);
  }
  const turnout = await atOnce(requests, (index) => {
    const pair = index >> 1;
    const first = index % 2 === 0 ? 'stock' : 'account';
    return buy({ goodsId: `goods-${pair}`, userId: `user-${pair}`, price: PRICE, first }, pair);
  });
  return {
    name,
    requests,
    seen: {
      succeeded: turnout.count('success'),
      refused: turnout.count('sold out'),
      deadlocks: turnout.count('deadlock'),
      'stock left': await tables.stockLeft(),
      'money left': await tables.moneyLeft(),
    },
    known: {
      succeeded: requests - deadlocks,
      refused: 0,
      deadlocks,
      'stock left': deadlocks,
      'money left': PRICE * deadlocks,
    },
    failures: turnout.failures,
  };
}
