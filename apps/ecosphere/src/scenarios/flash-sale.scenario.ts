import type { SaleAccount, SaleOrder } from '../flash-sale/sale.duty.js';
import { saleReport } from '../flash-sale/sale.report.js';
import { StockStore } from '../flash-sale/stock.store.js';
import { runCrew } from '../processes/crew.js';
import { shareOf } from '../processes/share.js';
import { count } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import { Progress } from '../report/progress.js';
import type { Report } from '../report/report.js';
import { withNumber } from '../server/open-numbers.js';
import type { ScenarioContext } from './scenario.js';

/**
 * Buyers by the thousand and a stock that is read, awaited and written back: whatever is not one at a time sells an item
 * twice. The business that the project began with.
 */
export async function flashSale(context: ScenarioContext): Promise<Report> {
  const { options, ground, terminal } = context;
  const { buyers = 3_000, purchases = 10_000, processes = 1, isLocked } = options;
  const { stock = purchases } = options;
  printTitle(terminal, 'Flash sale', [
    `${count(buyers)} buyers at once, ${count(purchases)} purchases, ${count(stock)} items in stock`,
    `${processes} process${processes === 1 ? '' : 'es'}, locks and stock ${context.groundLabel}`,
    `each purchase reads the stock, awaits, writes it back, ${isLocked ? `under @DistributedLock('flash-sale')` : 'WITHOUT a lock'}`,
  ]);
  return withNumber(ground, [StockStore.NAME, stock], async (numbers) => {
    const progress = new Progress(terminal, purchases, 'purchases');
    const accounts: SaleAccount[] = await runCrew('flash-sale', orders(context), (done) =>
      progress.show(done),
    );
    progress.end();
    const left = await numbers.read(StockStore.NAME);
    return saleReport({ accounts, stock, left, purchases });
  });
}

/** The buyers and the purchases, dealt out to the processes. */
function orders({ options, ground }: ScenarioContext): SaleOrder[] {
  const { buyers = 3_000, purchases = 10_000, processes = 1, leaseMs = 10_000, isLocked } = options;
  return Array.from({ length: processes }, (_, index) => ({
    settings: { ground, leaseMs, label: `shop ${index + 1}` },
    buyers: shareOf(buyers, processes, index),
    purchases: shareOf(purchases, processes, index),
    isLocked,
  }));
}
