import {
  startMariadb,
  startProxy,
  startRedis,
  startZooKeeper,
  type RunningServer,
  type TcpProxy,
} from 'bedrock-servers';
import type { OrderList } from '../../../apps/shop/src/common/contract.js';
import { ShopProcess } from './shop.process.js';

/** The servers that all tests of a file share. */
export interface ShopServers {
  readonly mariadb: RunningServer;
  readonly redis: RunningServer;
  readonly zookeeper: RunningServer;
}

/** Starts them. Redis and MariaDB are of the test alone: it empties the one, and counts rows of the other. */
export async function startServers(): Promise<ShopServers> {
  const [mariadb, redis, zookeeper] = await Promise.all([startMariadb(), startRedis(), startZooKeeper()]);
  return { mariadb, redis, zookeeper };
}

/** Stops what was started. */
export async function stopServers(servers: ShopServers | undefined): Promise<void> {
  if (servers === undefined) return;
  const { mariadb, redis, zookeeper } = servers;
  await Promise.all([mariadb.stop(), redis.stop(), zookeeper.stop()]);
}

/** What differs from test to test. */
export interface SiteOptions {
  /** `apple:100,pear:50`. */
  readonly stock: string;
  readonly orders?: NodeJS.ProcessEnv;
  readonly stockService?: NodeJS.ProcessEnv;
}

/** Short, so that nothing is waited for longer than it takes to see. */
const SHORT_TIMES = {
  STOCK_TIMEOUT_MS: '2000',
  STOCK_TRIES: '3',
  BACK_OFF_MS: '50',
  LOOK_BACK_MS: '100,200,400',
  RECONCILE_MS: '300',
  LOCK_LEASE_MS: '1000',
};

let sites = 0;

/** A shop: two services, and a proxy on the way from the one to the other. */
export class ShopSite {
  /** Names of the two databases, which no other test has. */
  readonly databases: { readonly orders: string; readonly stock: string };
  orders!: ShopProcess;
  stock!: ShopProcess;
  proxy!: TcpProxy;

  static async open(servers: ShopServers, options: SiteOptions): Promise<ShopSite> {
    const site = new ShopSite(servers, options);
    site.stock = await site.openStock();
    site.proxy = await startProxy(site.stock.port);
    site.orders = await site.openOrders();
    return site;
  }

  private constructor(
    private readonly servers: ShopServers,
    private readonly options: SiteOptions,
  ) {
    sites += 1;
    this.databases = { orders: `shop_orders_${sites}`, stock: `shop_stock_${sites}` };
  }

  /** A process of the stock service, beside those that are there. */
  openStock(port = 0): Promise<ShopProcess> {
    const { mariadb, redis, zookeeper } = this.servers;
    return ShopProcess.open('stock', {
      PORT: String(port),
      DATABASE_URL: mariadb.url,
      DATABASE: this.databases.stock,
      REDIS_URL: redis.url,
      LOCKS_URL: zookeeper.url,
      STOCK: this.options.stock,
      LOCK_LEASE_MS: '1000',
      ...this.options.stockService,
    });
  }

  /** A process of the order service, beside those that are there. */
  openOrders(environment: NodeJS.ProcessEnv = {}): Promise<ShopProcess> {
    const { mariadb, redis } = this.servers;
    return ShopProcess.open('orders', {
      PORT: '0',
      DATABASE_URL: mariadb.url,
      DATABASE: this.databases.orders,
      REDIS_URL: redis.url,
      STOCK_URL: `http://${this.proxy.host}:${this.proxy.port}`,
      ...SHORT_TIMES,
      ...this.options.orders,
      ...environment,
    });
  }

  /** Kills the stock service and opens it again at the same place. */
  async crashStock(): Promise<void> {
    const { port } = this.stock;
    await this.stock.kill();
    this.stock = await this.openStock(port);
  }

  /** Kills the order service and opens it again at the same place. */
  async crashOrders(): Promise<void> {
    const { port } = this.orders;
    await this.orders.kill();
    this.orders = await this.openOrders({ PORT: String(port) });
  }

  /** Without the orders themselves. */
  async ordersList(): Promise<OrderList> {
    return (await (await fetch(`${this.orders.url}/orders?limit=1`)).json()) as OrderList;
  }

  /** Ends what it has opened. */
  async close(): Promise<void> {
    await Promise.all([this.orders.end(), this.stock.end()]);
    await this.proxy.stop();
  }

  /** Cuts off the stock service; requests in flight are lost. */
  async cutOff(): Promise<void> {
    await this.proxy.refuse();
    this.proxy.cut();
  }
}
