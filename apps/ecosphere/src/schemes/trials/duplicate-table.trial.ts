import type { SchemeAccount, Way } from '../account.js';
import { atOnce } from '../crowd.js';
import { DuplicateTableService } from '../duplicate-table.service.js';
import { IdempotentOrderService } from '../idempotent-order.service.js';
import { Meeting } from '../meeting.js';
import type { Order } from '../order.js';
import { Tables } from '../tables.js';
import type { Bench } from './bench.js';

const ORDER: Order = { id: 'order-1', goodsId: 'goods-1', num: 1 };

/** The same order, sent many times at once. */
export async function duplicateTable(bench: Bench): Promise<SchemeAccount> {
  const index = await withIndex(bench);
  const bedrock = await withIdempotency(bench);
  return {
    name: 'duplicate table',
    ways: [index, bedrock],
    summary: `${bench.requests} equal requests left ${index.seen.orders} order and ${index.seen.refused} refusals; under Bedrock ${bedrock.seen.orders} order, and ${bedrock.seen.replayed} got its answer`,
  };
}

async function withIndex({ app, requests }: Bench): Promise<Way> {
  const [tables, service] = [app.get(Tables), app.get(DuplicateTableService)];
  await tables.renew('tb_duplicate', 'tb_order');
  const begun = new Meeting(requests);
  const turnout = await atOnce(requests, () => service.addOrder(ORDER, () => begun.join()));
  return {
    name: 'a unique row first, then the order',
    requests,
    seen: {
      succeeded: turnout.count('success'),
      refused: turnout.count('repeat request'),
      orders: await tables.orders(),
    },
    known: { succeeded: 1, refused: requests - 1, orders: 1 },
    failures: turnout.failures,
  };
}

async function withIdempotency({ app, requests }: Bench): Promise<Way> {
  const [tables, service] = [app.get(Tables), app.get(IdempotentOrderService)];
  await tables.renew('tb_order');
  const numbers = new Set<number>();
  let replayed = 0;
  const turnout = await atOnce(requests, async () => {
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
      succeeded: turnout.count('success'),
      refused: 0,
      replayed,
      answers: numbers.size,
      orders: await tables.orders(),
    },
    known: { succeeded: requests, refused: 0, replayed: requests - 1, answers: 1, orders: 1 },
    failures: turnout.failures,
  };
}
