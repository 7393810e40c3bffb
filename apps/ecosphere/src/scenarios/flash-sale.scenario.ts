import { setTimeout as sleep } from 'node:timers/promises';
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
import { metricsSection } from '../telemetry/sale-metrics.js';
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
    const results: SaleResult[] = await runProcesses('flash-sale', inputs(context), {
      onProgress(done) {
        progress.show(done);
        chaos?.sold(done);
      },
      onReady: (addresses) => addresses.forEach((address) => terminal.line(`  metrics: ${address}`)),
      async beforeEnd() {
        progress.end();
        await linger(context);
      },
    });
    const left = await numbers.read(StockStore.NAME);
    const sale = saleReport({ results, stock, left, purchases });
    const report = options.telemetry === undefined ? sale : withMetrics(sale, results);
    return chaos === undefined ? report : withChaos(report, await chaos.outage(), results);
  });
}

/** Leaves the metrics to a Prometheus for a while. */
async function linger({ options, terminal }: ScenarioContext): Promise<void> {
  const { lingerS = 0 } = options.telemetry ?? {};
  if (lingerS === 0) return;
  terminal.line(`  metrics are served for another ${lingerS} s`);
  await sleep(1_000 * lingerS);
}

function withMetrics(report: Report, results: readonly SaleResult[]): Report {
  const section = metricsSection(results.flatMap(({ metrics }) => metrics));
  return { ...report, sections: [...report.sections, section] };
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
  const { isChaotic = false, telemetry } = options;
  const metricsOf = (index: number) =>
    telemetry && { metricsPort: telemetry.port === 0 ? 0 : telemetry.port + index };
  return Array.from({ length: processes }, (_, index) => ({
    settings: { servers, leaseMs, label: `shop ${index + 1}`, ...metricsOf(index) },
    buyers: shareOf(buyers, processes, index),
    purchases: shareOf(purchases, processes, index),
    isLocked,
    isChaotic,
  }));
}
