import type { SchemeAccount } from '../account.js';
import { Meeting } from '../meeting.js';
import { OptimisticVersionService } from '../optimistic-version.service.js';
import type { Bench } from './bench.js';
import { sell } from './sell.js';

/** As many items as buyers, all of whom have read before the first one writes. */
export async function optimisticVersion(bench: Bench): Promise<SchemeAccount> {
  const { app, requests } = bench;
  const service = app.get(OptimisticVersionService);
  const looked = new Meeting(requests);
  const plain = await sell(bench, {
    name: 'where version = the one that was read',
    stock: requests,
    sold: 1,
    buy: (goodsId, num) => service.buy(goodsId, num, () => looked.join()),
  });
  const locked = await sell(bench, {
    name: 'Bedrock: @DistributedLock',
    stock: requests,
    sold: requests,
    buy: (goodsId, num) => service.buyLocked(goodsId, num),
  });
  return {
    name: 'optimistic lock, version',
    ways: [plain, locked],
    summary: `${plain.seen.succeeded} of ${requests} buyers succeeded though there was enough for all; under Bedrock's lock ${locked.seen.succeeded}`,
  };
}
