import { NodeChaos } from '../chaos/node-chaos.js';
import { withChaos } from '../chaos/chaos.report.js';
import type { SaleResult, SaleInput } from '../flash-sale/sale.job.js';
import { saleReport } from '../flash-sale/sale.report.js';
import { StockStore } from '../flash-sale/stock.store.js';
import { runProcesses } from '../processes/run-processes.js';
import { shareOf } from '../processes/share.js';
import { count } from '../report/numbers.js';
import { printTitle } from '../report/print-report.js';
import { Progress } from '../report/progress.js';
import type { Report } from '../report/report.js';
import { usualLeaseMs } from '../server/run-servers.js';
import { withNumber } from '../server/open-numbers.js';
import type { ScenarioContext } from './scenario.js';

/**
 * Thousands of buyers and a stock that is read, awaited and written back: without mutual exclusion, an item is sold
 * twice. The business case that the project began with.
 */
export async function flashSale(context: ScenarioContext): Promise<Report> {
  const { options, servers, nodes, terminal } = context;
  const { buyers = 3_000, purchases = 10_000, processes = 1, isLocked, isChaotic = false } = options;
  const { stock = purchases } = options;
  printTitle(terminal, 'Flash sale', [
    `${count(buyers)} buyers at once, ${count(purchases)} purchases, ${count(stock)} items in stock`,
    `${processes} process${processes === 1 ? '' : 'es'}, ${locationLines(context)}`,
    `each purchase reads the stock, awaits, writes it back, ${isLocked ? `under @DistributedLock('flash-sale')` : 'WITHOUT a lock'}`,
    ...(isChaotic ? ['the left-most node is killed mid-sale and comes back empty'] : []),
  ]);
  return withNumber(servers, [StockStore.NAME, stock], async (numbers) => {
    const progress = new Progress(terminal, purchases, 'purchases');
    const chaos = isChaotic ? new NodeChaos(nodes, purchases) : undefined;
    const results: SaleResult[] = await runProcesses('flash-sale', inputs(context), (done) => {
      progress.show(done);
      chaos?.sold(done);
    });
    progress.end();
    const left = await numbers.read(StockStore.NAME);
    const report = saleReport({ results, stock, left, purchases });
    return chaos === undefined ? report : withChaos(report, await chaos.outage(), results);
  });
}

/** Locations of the locks and of the stock. */
function locationLines({ servers, serversLabel }: ScenarioContext): string {
  if (servers.kind === 'combination') return `locks ${serversLabel}, stock on another`;
  return servers.kind === 'engine'
    ? `locks ${serversLabel}, stock on a redis-server`
    : `locks and stock ${serversLabel}`;
}

/** The buyers and the purchases, distributed to the processes. */
function inputs({ options, servers }: ScenarioContext): SaleInput[] {
  const {
    buyers = 3_000,
    purchases = 10_000,
    processes = 1,
    leaseMs = usualLeaseMs(servers),
    isLocked,
  } = options;
  const { isChaotic = false } = options;
  return Array.from({ length: processes }, (_, index) => ({
    settings: { servers, leaseMs, label: `shop ${index + 1}` },
    buyers: shareOf(buyers, processes, index),
    purchases: shareOf(purchases, processes, index),
    isLocked,
    isChaotic,
  }));
}
