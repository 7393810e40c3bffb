import { optionLines } from './help-page.js';
import { checkRedisVariable, redisUrl, wholeNumber } from './option-values.js';
import { readArguments } from './read-arguments.js';
import { PORTS, SERVE } from './serve-options.js';

/** How to open the shop, checked and complete. */
export interface ServeOptions {
  readonly port: number;
  /** Items of a new sale. */
  readonly stock: number;
  /** Redis server to use. @default REDIS_URL, or a server started for the shop */
  readonly redis?: string;
}

export type ServeCommand = { readonly kind: 'help' } | ({ readonly kind: 'serve' } & ServeOptions);

/** Parses the arguments and the environment. @throws UsageError for a request that cannot be served */
export function parseServe(args: readonly string[], environment: NodeJS.ProcessEnv): ServeCommand {
  const given = readArguments(args, SERVE);
  if (given.has('help')) return { kind: 'help' };
  const url = given.get('redis');
  if (url === undefined) checkRedisVariable(environment, '--redis');
  return {
    kind: 'serve',
    port: portOf(given.get('port'), environment['PORT']),
    stock: wholeNumber('--stock', given.get('stock') ?? '1000', SERVE.rows.stock.range!, SERVE.hint),
    ...(url !== undefined && { redis: redisUrl('--redis', url) }),
  };
}

/** An empty PORT counts as unset. */
function portOf(option: string | undefined, variable: string | undefined): number {
  if (option === undefined && variable !== undefined && variable !== '') {
    return wholeNumber('PORT', variable, PORTS, 'set PORT to a port, or give --port <n>');
  }
  return wholeNumber('--port', option ?? '3000', PORTS, SERVE.hint);
}

const HEAD = `The shop of Ecosphere: the flash sale as an HTTP application, with one lock across all its processes.

  npm run serve                                      a shop with its own Redis
  npm run serve -- --port 3001 --redis redis://…     one of several processes on one Redis

  POST /flash-sale/purchase  {"buyer": "ann", "requestId": "a-1"}    buys one item
  GET  /flash-sale                                                   stock, sales, waiting buyers

Options`;

const FOOT = `SIGTERM closes the shop: it serves the current buyer and answers waiting buyers with 503.

Exit codes
  0  closed gracefully
  2  an invalid option
  3  the shop could not be opened, for instance because no Redis answers or the port is taken`;

/** The page of `npm run serve -- --help`. */
export function servePage(): string {
  return [HEAD, ...optionLines(SERVE.rows), '', FOOT, ''].join('\n');
}
