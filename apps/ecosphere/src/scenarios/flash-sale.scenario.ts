import { NodeChaos } from '../chaos/node-chaos.js';
import { withChaos } from '../chaos/chaos.report.js';
import type { SaleAccount, SaleOrder } from '../flash-sale/sale.duty.js';
import { saleReport } from '../flash-sale/sale.report.js';
import { StockStore } from '../flash-sale/stock.store.js';
import { runCrew } from '../processes/crew.js';
import { shareOf } from '../processes/share.js';
import { count } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import { Progress } from '../report/progress.js';
import type { Report } from '../report/report.js';
import { usualLeaseMs } from '../server/ground.js';
import { withNumber } from '../server/open-numbers.js';
import type { ScenarioContext } from './scenario.js';

/**
 * Buyers by the thousand and a stock that is read, awaited and written back: whatever is not one at a time sells an item
 * twice. The business that the project began with.
 */
export async function flashSale(context: ScenarioContext): Promise<Report> {
  const { options, ground, nodes, terminal } = context;
  const { buyers = 3_000, purchases = 10_000, processes = 1, isLocked, isChaotic = false } = options;
  const { stock = purchases } = options;
  printTitle(terminal, 'Flash sale', [
    `${count(buyers)} buyers at once, ${count(purchases)} purchases, ${count(stock)} items in stock`,
    `${processes} process${processes === 1 ? '' : 'es'}, ${placesOf(context)}`,
    `each purchase reads the stock, awaits, writes it back, ${isLocked ? `under @DistributedLock('flash-sale')` : 'WITHOUT a lock'}`,
    ...(isChaotic ? ['the left-most node is killed mid-sale and comes back empty'] : []),
  ]);
  return withNumber(ground, [StockStore.NAME, stock], async (numbers) => {
    const progress = new Progress(terminal, purchases, 'purchases');
    const chaos = isChaotic ? new NodeChaos(nodes, purchases) : undefined;
    const accounts: SaleAccount[] = await runCrew('flash-sale', orders(context), (done) => {
      progress.show(done);
      chaos?.sold(done);
    });
    progress.end();
    const left = await numbers.read(StockStore.NAME);
    const report = saleReport({ accounts, stock, left, purchases });
    return chaos === undefined ? report : withChaos(report, await chaos.strike(), accounts);
  });
}

/** Where the locks are, and the stock. */
function placesOf({ ground, groundLabel }: ScenarioContext): string {
  if (ground.kind === 'combination') return `locks ${groundLabel}, stock on another`;
  return ground.kind === 'engine'
    ? `locks ${groundLabel}, stock on a redis-server`
    : `locks and stock ${groundLabel}`;
}

/** The buyers and the purchases, dealt out to the processes. */
function orders({ options, ground }: ScenarioContext): SaleOrder[] {
  const {
    buyers = 3_000,
    purchases = 10_000,
    processes = 1,
    leaseMs = usualLeaseMs(ground),
    isLocked,
  } = options;
  const { isChaotic = false } = options;
  return Array.from({ length: processes }, (_, index) => ({
    settings: { ground, leaseMs, label: `shop ${index + 1}` },
    buyers: shareOf(buyers, processes, index),
    purchases: shareOf(purchases, processes, index),
    isLocked,
    isChaotic,
  }));
}
