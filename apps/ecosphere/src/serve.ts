#!/usr/bin/env node
import { explain } from './cli/explain.js';
import { parseServe, servePage } from './cli/parse-serve.js';
import { count } from './report/numbers.js';

/** Entry of `npm run serve`: one process of the shop, until a signal closes it. */
async function serve(args: readonly string[]): Promise<void> {
  const command = parseServe(args, process.env);
  if (command.kind === 'help') {
    process.stdout.write(servePage());
    return;
  }
  const { openShop } = await import('./shop-front/open-shop.js');
  const { url, place, balance } = await openShop(command);
  process.stdout.write(
    `flash sale at ${url}: ${count(balance.left)} of ${count(balance.stock)} items left, locks and sales ${place}\n`,
  );
}

// Resources opened before the failure must not keep the process.
await serve(process.argv.slice(2)).catch((error: unknown) => process.exit(explain(error)));
