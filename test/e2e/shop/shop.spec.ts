import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderRequest, StockBooks } from '../../../apps/shop/src/common/contract.js';
import { crowd, dice, randomOrders, type Visit } from './shop.crowd.js';
import { breaches, LedgerReader, type Ledger } from './shop.ledger.js';
import { endProcesses, expectNoneFallen } from './shop.process.js';
import { ShopSite, startServers, stopServers, type ShopServers, type SiteOptions } from './shop.site.js';

const GOODS = Array.from({ length: 10 }, (_, at) => `goods-${at + 1}`);
const SEED = Number(process.env['SHOP_SEED'] ?? 20_261);
const LOOK_EVERY_MS = 50;
const SETTLED_WITHIN_MS = 30_000;

/** Where nothing is broken nothing may be given up, however slow the machine is. */
const PATIENT = {
  orders: { STOCK_TIMEOUT_MS: '60000', ANSWER_WITHIN_MS: '60000' },
  stockService: { LOCK_WAIT_MS: '60000' },
};

let servers: ShopServers;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  servers = await startServers();
}, 60_000);
afterEach(async () => {
  await endProcesses();
  for (const end of ends.splice(0).reverse()) await end();
  expectNoneFallen();
});
afterAll(() => stopServers(servers));

/** A shop with so much of everything, and its books under observation: whatever is ever wrong is found. */
async function openShop(amount: number, options: Omit<SiteOptions, 'stock'> = {}) {
  const stock = GOODS.map((goods) => `${goods}:${amount}`).join(',');
  const site = await ShopSite.open(servers, { stock, ...options });
  ends.push(() => site.proxy.stop());
  const reader = await LedgerReader.open(servers.mariadb.url, site.databases);
  ends.push(() => reader.close());
  const watch = { looks: 0, found: [] as string[], isOn: true };
  const watching = (async () => {
    while (watch.isOn) {
      watch.found.push(...breaches(await reader.read()), ...(await misfits(site)));
      watch.looks += 1;
      await sleep(LOOK_EVERY_MS);
    }
  })();
  /** Ends the observation when nothing is pending any more. */
  const close = async (): Promise<{ looks: number; found: readonly string[]; ledger: Ledger }> => {
    const deadline = Date.now() + SETTLED_WITHIN_MS;
    const isOpen = async () => (await site.ordersList()).pending > 0;
    while ((await isOpen()) && Date.now() < deadline) await sleep(50);
    watch.isOn = false;
    await watching;
    return { ...watch, ledger: await reader.read() };
  };
  return { site, close };
}

/** What does not fit in what the stock service shows: its stock and its flows are of one moment. */
async function misfits({ stock }: ShopSite): Promise<string[]> {
  // It may be away.
  const answer = await fetch(`${stock.url}/books?limit=1000`).catch(() => undefined);
  if (answer?.ok !== true) return [];
  const { stock: rows, flows } = (await answer.json()) as StockBooks;
  const shown = flows.reduce((sum, { quantity }) => sum + quantity, 0);
  const sold = rows.reduce((sum, { start, amount }) => sum + start - amount, 0);
  return shown === sold ? [] : [`the stock service shows ${sold} sold and flows of ${shown}`];
}

/** What must hold however it went. */
async function expectExact(
  { site, close }: Awaited<ReturnType<typeof openShop>>,
  visits: readonly Visit[],
): Promise<{ confirmed: number; failed: number; ledger: Ledger }> {
  const { looks, found, ledger } = await close();
  expect(found.slice(0, 5)).toEqual([]);
  expect(breaches(ledger)).toEqual([]);
  expect(looks).toBeGreaterThan(5);
  const of = (status: string) => ledger.orders.filter((order) => order.status === status).length;
  const [confirmed, failed] = [of('confirmed'), of('failed')];
  expect({ orders: ledger.orders.length, pending: of('pending') }).toEqual({
    orders: visits.length,
    pending: 0,
  });
  // Both answers to a repeated request name one order, and it is the stored one.
  for (const { key, answers } of visits) {
    const written = ledger.orders.find(({ requestKey }) => requestKey === key);
    expect(new Set(answers.map(({ order }) => order.id))).toEqual(new Set([written?.id]));
    for (const { order } of answers) expect(['pending', written?.status]).toContain(order.status);
  }
  expect(await (await fetch(`${site.stock.url}/balance`)).json()).toMatchObject({ holds: true });
  return { confirmed, failed, ledger };
}

/** Breaks the way between the services until it is ended; then it is whole. */
function breakTheWay({ proxy }: ShopSite): () => Promise<void> {
  const random = dice(SEED);
  let isOn = true;
  const breaking = (async () => {
    while (isOn) {
      const fault = Math.floor(random() * 4);
      if (fault === 0) proxy.dropReplies();
      if (fault === 1) proxy.delay(100);
      if (fault === 2) await proxy.refuse();
      await sleep(30 + random() * 120);
      // What was swallowed must not leave a connection silent for ever.
      if (fault !== 1) proxy.cut();
      proxy.dropReplies(false);
      proxy.delay(0);
      await proxy.accept();
      await sleep(100 + random() * 200);
    }
  })();
  return async () => {
    isOn = false;
    await breaking;
  };
}

/** Calls `at` once, when so many answers have come. */
function onceAt(
  count: number,
  at: () => Promise<void>,
): { on: (n: number) => void; done: () => Promise<void> } {
  let running: Promise<void> | undefined;
  return {
    on: (n) => {
      if (n >= count) running ??= at();
    },
    done: async () => {
      expect(running).toBeDefined();
      await running;
    },
  };
}

describe('the shop', () => {
  it('sells every order once, and nothing that is out of stock', async () => {
    const shop = await openShop(20, PATIENT);
    const visits = await crowd(shop.site.orders.url, randomOrders(100, GOODS, SEED));
    const { confirmed, failed, ledger } = await expectExact(shop, visits);
    expect(confirmed).toBeGreaterThan(20);
    expect(failed).toBeGreaterThan(0);
    // Without faults, there is one reason to fail. Of two requests for one order, one got the answer of the other.
    const reasons = ledger.orders.filter(({ status }) => status === 'failed').map(({ reason }) => reason);
    expect(reasons.filter((reason) => !reason!.startsWith('out of stock'))).toEqual([]);
    const twice = visits.filter(({ answers }) => answers.length === 2);
    expect(twice.map(({ answers }) => answers.filter(({ isReplayed }) => isReplayed).length)).toEqual(
      twice.map(() => 1),
    );
    expect(await shop.site.orders.end()).toBe(0);
    expect(await shop.site.stock.end()).toBe(0);
  }, 120_000);

  it('sells 200 orders once while answers get lost and the stock service is killed', async () => {
    const shop = await openShop(30);
    const mend = breakTheWay(shop.site);
    const crash = onceAt(40, () => shop.site.crashStock());
    const visits = await crowd(shop.site.orders.url, randomOrders(200, GOODS, SEED), crash.on);
    await crash.done();
    await mend();
    const { confirmed, failed } = await expectExact(shop, visits);
    expect(confirmed).toBeGreaterThan(20);
    expect(failed).toBeGreaterThan(0);
  }, 180_000);

  it('makes one order of each key while the order service is killed', async () => {
    const shop = await openShop(1_000, PATIENT);
    const crash = onceAt(10, () => shop.site.crashOrders());
    const visits = await crowd(shop.site.orders.url, randomOrders(60, GOODS, SEED + 1), crash.on);
    await crash.done();
    const { confirmed } = await expectExact(shop, visits);
    // There is enough of everything, and the stock service was there.
    expect(confirmed).toBe(60);
  }, 120_000);

  it('sells exactly with its locks on Redis', async () => {
    const locks = { LOCKS_BACKEND: 'redis', LOCKS_URL: servers.redis.url };
    const shop = await openShop(12, { stockService: locks });
    const mend = breakTheWay(shop.site);
    const visits = await crowd(shop.site.orders.url, randomOrders(60, GOODS, SEED + 2));
    await mend();
    const { confirmed } = await expectExact(shop, visits);
    expect(confirmed).toBeGreaterThan(10);
  }, 120_000);

  it('lets two processes of the stock service take turns at the goods', async () => {
    const stockService = { ...PATIENT.stockService, LOCK_LEASE_MS: '10000' };
    const shop = await openShop(1_000, { stockService });
    const other = await shop.site.openStock();
    const requests = randomOrders(80, GOODS.slice(0, 3), SEED + 3);
    const states = await Promise.all(
      requests.map(({ lines }, at) =>
        deduct([shop.site.stock.url, other.url][at % 2]!, `operation-${at}`, lines),
      ),
    );
    expect(states.filter((state) => state !== 'deducted')).toEqual([]);
    const { found, ledger } = await shop.close();
    // These operations have no orders; everything else must hold, above all the order of the tokens.
    const orderless = /^flow of operation-\d+: no order$/;
    expect([...found, ...breaches(ledger)].filter((line) => !orderless.test(line)).slice(0, 3)).toEqual([]);
    expect(ledger.flows).toHaveLength(requests.reduce((sum, { lines }) => sum + lines.length, 0));
  }, 120_000);
});

async function deduct(url: string, operationId: string, lines: OrderRequest['lines']): Promise<string> {
  const response = await fetch(`${url}/operations/${operationId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  });
  const { state } = (await response.json()) as { state?: string };
  return state ?? String(response.status);
}
