import type { SchemeAccount, Way } from '../account.js';
import type { Answer } from '../answer.js';
import { atOnce } from '../concurrent-requests.js';
import { Barrier } from '../barrier.js';
import { PessimisticRowsService, type Purchase } from '../pessimistic-rows.service.js';
import { Tables } from '../tables.js';
import type { TrialSetup } from './trial-setup.js';

const PRICE = 10;

/** Pairs of purchases of the same goods by the same customer: one locks the stock first, the other the account. */
export async function pessimisticRows(setup: TrialSetup): Promise<SchemeAccount> {
  const { app, requests } = setup;
  const pairs = requests / 2;
  const service = app.get(PessimisticRowsService);
  const barriers = Array.from({ length: pairs }, () => new Barrier(2));
  const plain = await run(setup, {
    name: 'each in its own order',
    deadlocks: pairs,
    buy: (purchase, pair) => service.buy(purchase, () => barriers[pair]!.wait()),
  });
  const locked = await run(setup, {
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
  /** The known number: the database ends one purchase of each pair that meets. */
  readonly deadlocks: number;
  readonly buy: (purchase: Purchase, pair: number) => Promise<Answer>;
}

async function run({ app, requests }: TrialSetup, { name, deadlocks, buy }: Plan): Promise<Way> {
  const tables = app.get(Tables);
  await tables.renew('tb_stock', 'tb_account');
  for (let pair = 0; pair < requests / 2; pair += 1) {
    await tables.putStock(`goods-${pair}`, 2);
    await tables.putAccount(`user-${pair}`, 2 * PRICE);
  }
  const outcomes = await atOnce(requests, (index) => {
    const pair = index >> 1;
    const first = index % 2 === 0 ? 'stock' : 'account';
    return buy({ goodsId: `goods-${pair}`, userId: `user-${pair}`, price: PRICE, first }, pair);
  });
  return {
    name,
    requests,
    seen: {
      succeeded: outcomes.count('success'),
      refused: outcomes.count('sold out'),
      deadlocks: outcomes.count('deadlock'),
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
    failures: outcomes.failures,
  };
}
