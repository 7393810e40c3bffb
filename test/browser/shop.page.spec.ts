import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startProxy } from 'bedrock-servers';
import { liveness } from 'bedrock-testkit';
import { randomUUID } from 'node:crypto';
import type { Browser } from 'puppeteer-core';
import type { OrderLine } from '../../apps/shop/src/common/contract.js';
import { send } from '../e2e/shop/shop.crowd.js';
import { openBrowser, ShopPage } from './shop.page-browser.js';
import { insertMarkup, namesFound, scrollsSideways, widths } from './shop.page-eyes.mjs';
import { endProcesses } from '../e2e/shop/shop.process.js';
import { ShopSite, startServers, stopServers, type ShopServers } from '../e2e/shop/shop.site.js';

/** After the others in the alphabet, so that the form begins with apples. */
const LONGEST_NAME = 'w'.repeat(64);
const AT_ONCE_MS = 2_000;
/** After so long without a word from the feed, the page gives its connection up. */
const SILENT_MS = 12_000;

let servers: ShopServers;
let browser: Browser;
let site: ShopSite;
let shop: ShopPage;

beforeAll(async () => {
  servers = await startServers();
  browser = await openBrowser();
}, 120_000);
beforeEach(async () => {
  site = await ShopSite.open(servers, { stock: `apple:100,pear:2,${LONGEST_NAME}:5` });
  shop = await ShopPage.open(browser, site.orders.url);
}, 30_000);
afterEach(async () => {
  await shop?.close();
  await site?.proxy.stop();
  await endProcesses();
});
afterAll(async () => {
  await browser?.close();
  await stopServers(servers);
});

async function order(customer: string, ...lines: readonly OrderLine[]): Promise<string> {
  return (await send(site.orders.url, randomUUID(), { customer, lines })).order.id;
}

const left = (goods: string) => `#stock tr[data-goods="${goods}"] .left`;

/** Asserts that nothing failed, nothing was loaded twice, and no other server was asked. */
function expectQuiet(): void {
  expect(shop.complaints).toEqual([]);
  expect([...shop.hosts]).toEqual([new URL(site.orders.url).host]);
  expect(shop.loads).toBe(1);
}

describe('the page of the shop', () => {
  it('shows within 2 s and without a reload the orders placed elsewhere, the stock left, and the flows', async () => {
    await shop.reads(left('apple'), '100');
    const id = await order('Grace', { goodsId: 'apple', quantity: 3 }, { goodsId: 'pear', quantity: 1 });
    await shop.sees(`#orders tr[data-order="${id}"][data-status="confirmed"]`, AT_ONCE_MS);
    await shop.reads(left('apple'), '97', AT_ONCE_MS);
    await shop.reads(left('pear'), '1', AT_ONCE_MS);
    await shop.reads('#confirmed', '1', AT_ONCE_MS);
    expect(await shop.texts('#flows tbody td:nth-child(3)')).toEqual(['−1', '−3']);
    expect(await shop.texts('#balance-word')).toEqual(['agrees']);
    expectQuiet();
  });

  it('shows the newest order first, and why one has failed', async () => {
    const first = await order('Ada', { goodsId: 'pear', quantity: 2 });
    const second = await order('Tony', { goodsId: 'apple', quantity: 1 }, { goodsId: 'pear', quantity: 1 });
    await shop.sees(`#orders tr[data-order="${second}"][data-status="failed"]`);
    expect(await shop.data('#orders tbody tr', 'order')).toEqual([second, first]);
    expect((await shop.texts('#orders .reason'))[0]).toContain('pear');
    expect(await shop.texts('#orders .status')).toEqual(['failed', 'confirmed']);
    await shop.reads(left('apple'), '100');
    await shop.reads('#failed', '1');
    // A second visitor, who comes later, sees the same.
    const other = await ShopPage.open(browser, site.orders.url);
    expect(await other.data('#orders tbody tr', 'order')).toEqual([second, first]);
    await other.close();
    expectQuiet();
  });

  it('sends an order from its form', async () => {
    await shop.writes('#customer', 'Barbara');
    await shop.writes('#lines input', '4');
    await shop.page.click('#once');
    await shop.sees('#answers li[data-answer]', 5_000);
    await shop.reads(left('apple'), '96');
    expect(await shop.texts('#orders tbody tr td:nth-child(2)')).toEqual(['Barbara']);
    expect(await shop.data('#answers li', 'replayed')).toEqual(['false']);
    expectQuiet();
  });

  it('sends the same order twice, and shows one order in both answers, one of them replayed', async () => {
    await shop.page.click('#twice');
    await shop.sees('#answers li:nth-child(2)', 10_000);
    const [one, other] = await shop.data('#answers li', 'answer');
    expect(one).toMatch(/^[\da-f-]{36}$/);
    expect(other).toBe(one);
    expect((await shop.data('#answers li', 'replayed')).toSorted()).toEqual(['false', 'true']);
    expect((await shop.texts('#answers'))[0]).toContain('Idempotent-Replayed: true');
    await shop.reads('#total', '1');
    await shop.reads(left('apple'), '99');
    expect(await shop.data('#orders tbody tr', 'order')).toEqual([one]);
    expectQuiet();
  });

  it('shows the error of an order, at the field that is wrong', async () => {
    await shop.writes('#customer', '  ');
    await shop.page.click('#once');
    await shop.sees('#customer[aria-invalid=true]');
    expect((await shop.texts('#answers li'))[0]).toContain('400 · customer must be');
    await shop.writes('#customer', 'Ada');
    await shop.writes('#lines input', '0');
    await shop.page.click('#once');
    await shop.sees('#lines input[aria-invalid=true]');
    expect(await shop.data('[aria-invalid]', 'state')).toHaveLength(1);
    await shop.reads('#total', '0');
    expect([...shop.hosts]).toHaveLength(1);
  });

  it('shows a name that looks like HTML as the text that it is', async () => {
    const names = ['<img src=x onerror=alert(1)>', '<script>alert(2)</script>', '"><b onmouseover=alert(3)>'];
    for (const name of names) await order(name, { goodsId: 'apple', quantity: 1 });
    await shop.reads('#confirmed', '3');
    expect(await shop.texts('#orders tbody tr td:nth-child(2)')).toEqual(names.toReversed());
    expect(await shop.page.$$('#orders :is(img, script, b)')).toEqual([]);
    expectQuiet();
  });

  it('has no sideways scrolling on a phone, however long a name is', async () => {
    await order(LONGEST_NAME, { goodsId: LONGEST_NAME, quantity: 9 });
    await order(LONGEST_NAME, { goodsId: 'apple', quantity: 1 });
    const phone = await ShopPage.open(browser, site.orders.url, 320);
    await phone.page.click('#twice');
    await phone.sees('#answers li:nth-child(2)', 10_000);
    await phone.sees('#orders tbody tr:nth-child(3)');
    const { content, window } = await phone.page.evaluate(widths);
    expect(window).toBe(320);
    expect(content).toBeLessThanOrEqual(window);
    expect(await phone.page.evaluate(scrollsSideways)).toBe(false);
    await phone.close();
  });

  it('can be used without eyes: everything has a name, every table its heads, and what happens is said', async () => {
    await order('Ada', { goodsId: 'apple', quantity: 1 });
    await shop.reads('#confirmed', '1');
    expect(await shop.page.evaluate(namesFound)).toEqual({
      nameless: 0,
      unlabelled: 0,
      tables: 3,
      withoutHeads: 0,
      live: ['link', 'news', 'answers', 'stock-note'],
      language: 'en',
      headings: 1,
    });
    expect(await shop.texts('#news')).toEqual([expect.stringMatching(/^\d+ orders: \d+ confirmed/)]);
  });

  it('comes with a policy that lets nothing run but its own files', async () => {
    const policy = (await fetch(site.orders.url)).headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const markup = '<img src=x onerror="document.title = 1">';
    expect(await shop.page.evaluate(insertMarkup, markup)).toBe('TypeError');
    for (const path of ['page/..%2f..%2fpage.files.ts', 'page/nothing.js', 'page/__proto__']) {
      expect((await fetch(`${site.orders.url}/${path}`)).status).toBe(404);
    }
  });
});

describe('the page of the shop when something is away', () => {
  it('connects again by itself after the order service was killed, and shows the current state', async () => {
    const before = await order('Ada', { goodsId: 'apple', quantity: 1 });
    await shop.sees(`#orders tr[data-order="${before}"]`);
    const { port } = site.orders;
    await site.orders.kill();
    await shop.sees('#link[data-state=reconnecting]', 5_000);
    site.orders = await site.openOrders({ PORT: String(port) });
    const meanwhile = await order('Grace', { goodsId: 'apple', quantity: 2 });
    await shop.sees('#link[data-state=live]', 10_000);
    await shop.sees(`#orders tr[data-order="${meanwhile}"]`);
    await shop.reads(left('apple'), '97');
    const later = await order('Tony', { goodsId: 'pear', quantity: 1 });
    await shop.sees(`#orders tr[data-order="${later}"][data-status=confirmed]`);
    expect(await shop.data('#orders tbody tr', 'order')).toEqual([later, meanwhile, before]);
    expect(shop.loads).toBe(1);
  }, 40_000);

  it('keeps its last figures while the stock service does not answer, says so, and goes on afterwards', async () => {
    await order('Ada', { goodsId: 'apple', quantity: 10 });
    await shop.reads(left('apple'), '90');
    await site.cutOff();
    const waiting = order('Grace', { goodsId: 'apple', quantity: 5 });
    await shop.sees('#orders tr[data-status=pending]');
    await shop.sees('#stock-note:not([hidden])', 5_000);
    expect(await shop.texts(left('apple'))).toEqual(['90']);
    expect(await shop.texts('#balance-word')).toEqual(['–']);
    await site.proxy.accept();
    await waiting;
    await shop.sees('#stock-note[hidden]', 5_000);
    await shop.sees('#orders tbody tr:first-child:not([data-status=pending])', 15_000);
    await shop.reads('#balance-word', 'agrees', 5_000);
    expectQuiet();
  }, 40_000);

  it('takes a long silence for a dead connection, and finds a new one', async () => {
    const way = await startProxy(site.orders.port);
    const visitor = await ShopPage.open(browser, `http://${way.host}:${way.port}`);
    way.dropReplies();
    const id = await order('Ada', { goodsId: 'apple', quantity: 1 });
    await visitor.reads('#link', 'live');
    await visitor.ages(SILENT_MS);
    await visitor.sees('#link[data-state=reconnecting]');
    expect(await visitor.data('#orders tbody tr', 'order')).toEqual([]);
    // The connection that lost bytes stays silent for ever.
    way.dropReplies(false);
    await visitor.sees(`#orders tr[data-order="${id}"]`, 20_000);
    await visitor.reads('#link', 'live');
    await visitor.close();
    await way.stop();
  }, 60_000);

  it('does not keep the order service from closing in order', async () => {
    expect(await liveness.within('the end of the order service', 5_000, () => site.orders.end())).toBe(0);
    await shop.sees('#link[data-state=reconnecting]', 5_000);
  });
});
