import type { SchemeAccount, Way } from '../account.js';
import type { Answer } from '../answer.js';
import { atOnce } from '../concurrent-requests.js';
import { Barrier } from '../barrier.js';
import type { Order } from '../order.js';
import { SelectThenInsertService } from '../select-then-insert.service.js';
import { Tables } from '../tables.js';
import type { TrialSetup } from './trial-setup.js';

const ORDER: Order = { id: 'order-1', goodsId: 'goods-1', num: 1 };

/** The same order, sent many times at once: all check before the first one inserts. */
export async function selectThenInsert(setup: TrialSetup): Promise<SchemeAccount> {
  const { app, requests } = setup;
  const service = app.get(SelectThenInsertService);
  const racing = (): ((order: Order) => Promise<Answer>) => {
    const looked = new Barrier(requests);
    return (order) => service.addOrder(order, () => looked.wait());
  };
  const plain = await run(setup, { name: 'no unique index', addOrder: racing(), orders: requests });
  const mended = await run(setup, { name: 'unique index', isUnique: true, addOrder: racing(), orders: 1 });
  const locked = await run(setup, {
    name: 'Bedrock: @DistributedLock, no index',
    addOrder: (order) => service.addOrderLocked(order),
    orders: 1,
  });
  return {
    name: 'select, then insert',
    ways: [plain, mended, locked],
    summary: `${requests} equal requests left ${plain.seen.orders} orders; with a unique index ${mended.seen.orders}, under Bedrock's lock ${locked.seen.orders}`,
  };
}

interface Plan {
  readonly name: string;
  /** @default false */
  readonly isUnique?: boolean;
  readonly addOrder: (order: Order) => Promise<Answer>;
  /** The known number of orders. */
  readonly orders: number;
}

async function run({ app, requests }: TrialSetup, plan: Plan): Promise<Way> {
  const tables = app.get(Tables);
  await tables.renew('tb_order');
  if (plan.isUnique === true) await tables.makeOrdersUnique();
  const outcomes = await atOnce(requests, () => plan.addOrder(ORDER));
  return {
    name: plan.name,
    requests,
    seen: {
      succeeded: outcomes.count('success'),
      refused: outcomes.count('repeat request'),
      orders: await tables.orders(),
    },
    known: { succeeded: plan.orders, refused: requests - plan.orders, orders: plan.orders },
    failures: outcomes.failures,
  };
}
