import type { SchemeAccount, Way } from '../account.js';
import { Barrier } from '../barrier.js';
import { OptimisticConditionService } from '../optimistic-condition.service.js';
import type { TrialSetup } from './trial-setup.js';
import { sell } from './sell.js';

/** Too few items, then enough, for buyers that all have seen stock. */
export async function optimisticCondition(setup: TrialSetup): Promise<SchemeAccount> {
  const { app, requests } = setup;
  const service = app.get(OptimisticConditionService);
  const run = (name: string, stock: number): Promise<Way> => {
    const looked = new Barrier(requests);
    const buy = (goodsId: string, num: number) => service.buy(goodsId, num, () => looked.wait());
    return sell(setup, { name, stock, sold: stock, buy });
  };
  const few = await run('where enough is left, too few items', Math.floor(0.6 * requests));
  const enough = await run('where enough is left, an item for each', requests);
  return {
    name: 'optimistic lock, condition',
    ways: [few, enough],
    summary: [few, enough]
      .map(({ seen }) => `${seen['in stock']} items were sold ${seen.succeeded} times`)
      .join(', '),
  };
}
