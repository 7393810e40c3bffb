import { audit } from './audit.js';
import type { Closer } from './closer.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { Faults } from './faults.js';
import { openShop } from './open-shop.js';
import { placeOrders } from './place-orders.js';
import { planOrders } from './plan-orders.js';
import { reportLines } from './print-report.js';
import { readFigures } from './read-figures.js';
import type { RunOptions } from './run-options.js';

/**
 * Opens the shop, sends the orders, and reports whether everything agrees in the end. Adds everything it opens to the
 * closer.
 */
export async function runShop(
  options: RunOptions,
  say: (line: string) => void,
  closer: Closer,
): Promise<ExitCode> {
  const plan = planOrders(options.orders, options.goods);
  const requests = plan.orders.reduce((sum, { times }) => sum + times, 0);
  say(
    `Shop: ${options.orders} orders over ${options.goods} goods, ${requests - options.orders} of them sent twice`,
  );
  const shop = await openShop(options, plan.stock, closer);
  say(`  page ${shop.orders.url}/, ${shop.place}`);
  say('');

  const began = performance.now();
  const sinceMs = () => performance.now() - began;
  const faults = new Faults(shop, (text) =>
    say(`  ${(sinceMs() / 1_000).toFixed(1).padStart(5)} s  ${text}`),
  );
  let answers = 0;
  const placed = await placeOrders(shop.orders.url, plan.orders, () => {
    if (options.hasFaults) faults.reached(++answers / requests);
  });
  await faults.over();
  const figures = await readFigures(shop);
  const tookMs = sinceMs();

  const outcome = audit(placed, figures);
  for (const line of reportLines({ placed, figures, audit: outcome, faults: faults.count, tookMs }))
    say(line);
  if (options.isServing) await serve(`${shop.orders.url}/`, say);
  return outcome.agrees ? EXIT.agrees : EXIT.broken;
}

/** Never resolves: a signal ends it. */
async function serve(url: string, say: (line: string) => void): Promise<never> {
  say(`page at ${url}, Ctrl-C closes the shop`);
  return new Promise(() => undefined);
}
