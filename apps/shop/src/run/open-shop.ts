import { startProxy, type TcpProxy } from 'bedrock-servers';
import { randomBytes } from 'node:crypto';
import type { Closer } from './closer.js';
import { dropDatabases } from './databases.js';
import { openServers } from './open-servers.js';
import type { RunOptions } from './run-options.js';
import { ServiceProcess } from './service.process.js';

/** Both services, and their parts that a fault can break. */
export interface OpenShop {
  readonly orders: ServiceProcess;
  readonly stock: ServiceProcess;
  /** Between the two services. */
  readonly proxy: TcpProxy;
  /** Origin of the servers, in words. */
  readonly place: string;
}

/**
 * All orders arrive at once and wait for the same goods, so time-outs in the queue are long. Those that detect a fault
 * are short, since a person may be watching.
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

/** Starts the servers that are not given, and the services on them. @throws if one is unavailable */
export async function openShop(
  { locks: backend, port }: RunOptions,
  amounts: ReadonlyMap<string, number>,
  closer: Closer,
): Promise<OpenShop> {
  const { mariadb, redis, locks } = await openServers(backend, closer);
  const run = randomBytes(4).toString('hex');
  const databases = { orders: `shop_orders_${run}`, stock: `shop_stock_${run}` };
  // Leaves nothing behind on a server of another owner.
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
