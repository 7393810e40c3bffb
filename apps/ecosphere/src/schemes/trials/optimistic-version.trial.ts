import type { SchemeAccount } from '../account.js';
import { Barrier } from '../barrier.js';
import { OptimisticVersionService } from '../optimistic-version.service.js';
import type { TrialSetup } from './trial-setup.js';
import { sell } from './sell.js';

/** As many items as buyers, all of whom read before the first one writes. */
export async function optimisticVersion(setup: TrialSetup): Promise<SchemeAccount> {
  const { app, requests } = setup;
  const service = app.get(OptimisticVersionService);
  const looked = new Barrier(requests);
  const plain = await sell(setup, {
    name: 'where version = the one that was read',
    stock: requests,
    sold: 1,
    buy: (goodsId, num) => service.buy(goodsId, num, () => looked.wait()),
  });
  const locked = await sell(setup, {
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
