import type { SchemeAccount, Way } from '../account.js';
import { atOnce } from '../concurrent-requests.js';
import { DuplicateTableService } from '../duplicate-table.service.js';
import { IdempotentOrderService } from '../idempotent-order.service.js';
import { Barrier } from '../barrier.js';
import type { Order } from '../order.js';
import { Tables } from '../tables.js';
import type { TrialSetup } from './trial-setup.js';

const ORDER: Order = { id: 'order-1', goodsId: 'goods-1', num: 1 };

/** The same order, sent many times at once. */
export async function duplicateTable(setup: TrialSetup): Promise<SchemeAccount> {
  const index = await withIndex(setup);
  const bedrock = await withIdempotency(setup);
  return {
    name: 'duplicate table',
    ways: [index, bedrock],
    summary: `${setup.requests} equal requests left ${index.seen.orders} order and ${index.seen.refused} refusals; under Bedrock ${bedrock.seen.orders} order, and ${bedrock.seen.replayed} got its answer`,
  };
}

async function withIndex({ app, requests }: TrialSetup): Promise<Way> {
  const [tables, service] = [app.get(Tables), app.get(DuplicateTableService)];
  await tables.renew('tb_duplicate', 'tb_order');
  const begun = new Barrier(requests);
  const outcomes = await atOnce(requests, () => service.addOrder(ORDER, () => begun.wait()));
  return {
    name: 'a unique row first, then the order',
    requests,
    seen: {
      succeeded: outcomes.count('success'),
      refused: outcomes.count('repeat request'),
      orders: await tables.orders(),
    },
    known: { succeeded: 1, refused: requests - 1, orders: 1 },
    failures: outcomes.failures,
  };
}

async function withIdempotency({ app, requests }: TrialSetup): Promise<Way> {
  const [tables, service] = [app.get(Tables), app.get(IdempotentOrderService)];
  await tables.renew('tb_order');
  const numbers = new Set<number>();
  let replayed = 0;
  const outcomes = await atOnce(requests, async () => {
    const answer = await service.addOrder(ORDER);
    numbers.add(answer.value);
    if (answer.replayed) replayed += 1;
    return 'success';
  });
  await service.forget(ORDER);
  return {
    name: 'Bedrock: idempotency, no index',
    requests,
    seen: {
      succeeded: outcomes.count('success'),
      refused: 0,
      replayed,
      answers: numbers.size,
      orders: await tables.orders(),
    },
    known: { succeeded: requests, refused: 0, replayed: requests - 1, answers: 1, orders: 1 },
    failures: outcomes.failures,
  };
}
