import { startProxy, type TcpProxy } from 'bedrock-servers';
import { randomBytes } from 'node:crypto';
import type { Closer } from './closer.js';
import { dropDatabases } from './databases.js';
import { openServers } from './open-servers.js';
import type { RunOptions } from './run-options.js';
import { ServiceProcess } from './service.process.js';

/** Both services, and what can be broken of them. */
export interface OpenShop {
  readonly orders: ServiceProcess;
  readonly stock: ServiceProcess;
  /** Between the two. */
  readonly proxy: TcpProxy;
  /** Where the servers come from, in words. */
  readonly place: string;
}

/**
 * All orders come at once and wait for the same goods, so patience is long where there is a queue; it is short where a fault is
 * to be got over while somebody watches.
 */
const PATIENCE = {
  STOCK_TIMEOUT_MS: '10000',
  LOCK_WAIT_MS: '20000',
  STOCK_TRIES: '8',
  BACK_OFF_MS: '200',
  LOOK_BACK_MS: '500,1000,2000',
  RECONCILE_MS: '1000',
  LOCK_LEASE_MS: '2000',
} as const;

/** Starts the servers that are not given, and the services on them. @throws when one cannot be had */
export async function openShop(
  { locks: backend, port }: RunOptions,
  amounts: ReadonlyMap<string, number>,
  closer: Closer,
): Promise<OpenShop> {
  const { mariadb, redis, locks } = await openServers(backend, closer);
  const run = randomBytes(4).toString('hex');
  const databases = { orders: `shop_orders_${run}`, stock: `shop_stock_${run}` };
  // On a server of somebody else nothing may stay behind.
  closer.add(() => dropDatabases(mariadb.url, databases));
  const servers = { ...PATIENCE, DATABASE_URL: mariadb.url, REDIS_URL: redis.url };
  const open = async (title: string, entry: string, environment: Record<string, string>) => {
    const service = await ServiceProcess.start({ title, entry, environment: { ...servers, ...environment } });
    closer.add(() => service.stop());
    return service;
  };
  const stock = await open('stock service', '../stock/main.js', {
    PORT: '0',
    DATABASE: databases.stock,
    LOCKS_BACKEND: backend,
    LOCKS_URL: locks?.url ?? '',
    STOCK: [...amounts].map((one) => one.join(':')).join(','),
  });
  const proxy = await startProxy(stock.port);
  closer.add(() => proxy.stop());
  const orders = await open('order service', '../orders/main.js', {
    PORT: String(port),
    DATABASE: databases.orders,
    STOCK_URL: `http://${proxy.host}:${proxy.port}`,
  });
  const given = [mariadb, redis, locks].filter((server) => server?.source === 'environment').length;
  return {
    orders,
    stock,
    proxy,
    place: `locks ${backend === 'memory' ? 'in memory' : `on ${backend}`}, servers ${given > 0 ? 'as given' : 'of this run'}`,
  };
}
