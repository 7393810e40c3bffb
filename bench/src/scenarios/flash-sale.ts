import { accountsOf } from '../contender/run-contenders.js';
import { PEERS } from '../libraries/catalogue.js';
import { count, decimals } from '../report/numbers.js';
import type { SaleAccount, SaleOrder } from '../roles/sale.js';
import type { Scenario } from './scenario.js';
import { assignmentOf } from './assignment.js';

const BUYERS = 3_000;
const STOCK = 1_000;
const LIMIT_MS = 3_000;
/** redlock's defaults: 3,000 callers that poll every 10 ms would keep the server from all other work. */
const options = { pollMs: 200, jitterMs: 100 };

export const flashSale: Scenario = {
  name: 'flash-sale',
  title: '3,000 concurrent buyers, 1,000 items; a purchase reads the stock and writes it back under the lock',
  short: 'flash sale: purchases/s',
  // async-mutex uses no server for the lock: it shows how much the purchases alone let one process sell.
  libraries: ['raw', 'bedrock', 'bedrock-run', 'bedrock-nest', ...PEERS, 'async-mutex', 'redisson'],
  rounds: 2,
  compared: 'soldPerS',
  better: 'more',
  worst: ['oversold', 'overlaps', 'failures'],
  relative: { figure: 'ofRedisson', to: 'redisson' },
  async turn(library, servers) {
    const order: SaleOrder = {
      url: servers.url,
      key: servers.freshKey(),
      buyers: BUYERS,
      stock: STOCK,
      limitMs: LIMIT_MS,
    };
    const [account] = await accountsOf<SaleAccount>([assignmentOf('sale', library, servers, order, options)]);
    return { ...account!, soldPerS: (1_000 * account!.sold) / account!.elapsedMs };
  },
  columns: [
    { figure: 'soldPerS', head: 'purchases/s', show: count },
    { figure: 'ofRedisson', head: '× Redisson', show: decimals(1) },
    { figure: 'sold', head: `sold within ${LIMIT_MS / 1_000} s`, show: count },
    { figure: 'elapsedMs', head: 'time, ms', show: count },
    { figure: 'oversold', head: 'oversold', show: count },
    { figure: 'overlaps', head: 'overlaps', show: count },
  ],
  targets: [
    { library: 'bedrock', figure: 'oversold', atMost: 0 },
    { library: 'bedrock-nest', figure: 'oversold', atMost: 0 },
    { library: 'bedrock', figure: 'ofRedisson', atLeast: 5, beside: 'redisson' },
  ],
};
