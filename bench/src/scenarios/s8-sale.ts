import { accountsOf } from '../contender/run-contenders.js';
import { count, decimals } from '../report/numbers.js';
import type { SaleAccount, SaleOrder } from '../roles/sale.js';
import { onNodes } from './on-nodes.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const LIMIT_MS = 4_000;
const options = { pollMs: 200, jitterMs: 100 };

function saleOf(buyers: number, stock: number): Scenario['turn'] {
  return (library, benchServers) =>
    onNodes(3, async (nodes) => {
      const order: SaleOrder = {
        url: benchServers.url,
        key: benchServers.freshKey(),
        buyers,
        stock,
        limitMs: LIMIT_MS,
      };
      const assignment = assignmentOf('sale', library, benchServers, order, { ...options, nodes });
      const [account] = await accountsOf<SaleAccount>([assignment]);
      return { ...account!, soldPerS: (1_000 * account!.sold) / account!.elapsedMs };
    });
}

export const s8Sale: Scenario = {
  name: 'S8-sale',
  title:
    'The flash sale under a lock on three nodes: 3,000 buyers, 1,000 items; the stock is on a fourth server',
  short: 'three nodes, flash sale: purchases/s',
  libraries: ['raw', 'bedrock', 'bedrock-run', 'redlock-5'],
  rounds: 2,
  compared: 'soldPerS',
  better: 'more',
  worst: ['oversold', 'overlaps', 'failures'],
  relative: { figure: 'ofRedlock', to: 'redlock-5' },
  turn: saleOf(3_000, 1_000),
  columns: [
    { figure: 'soldPerS', head: 'purchases/s', show: count },
    { figure: 'ofRedlock', head: '× redlock 5 beta', show: decimals(1) },
    { figure: 'sold', head: `sold within ${LIMIT_MS / 1_000} s`, show: count },
    { figure: 'oversold', head: 'oversold', show: count },
    { figure: 'overlaps', head: 'overlaps', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'oversold', atMost: 0 },
    { library: 'bedrock', figure: 'overlaps', atMost: 0 },
    { library: 'bedrock', figure: 'ofRedlock', atLeast: 10 },
  ],
};

export const s8Sale10k: Scenario = {
  ...s8Sale,
  name: 'S8-sale-10k',
  title: 'The same with 10,000 buyers and 10,000 items',
  short: 'three nodes, 10,000 purchases: purchases/s',
  turn: saleOf(10_000, 10_000),
};
