import { describe, expect, it } from '@jest/globals';
import type { Flow, Order } from '../../../apps/shop/src/common/contract.js';
import { audit } from '../../../apps/shop/src/run/audit.js';
import type { PlacedOrder } from '../../../apps/shop/src/run/place-orders.js';
import { planOrders } from '../../../apps/shop/src/run/plan-orders.js';
import type { Figures } from '../../../apps/shop/src/run/read-figures.js';

const AT = '2026-01-01T00:00:00.000Z';

function order(id: string, status: Order['status'], quantity: number): Order {
  const lines = [{ goodsId: 'apple', quantity }];
  return { id, status, customer: 'Ada', operationId: `operation-${id}`, lines, createdAt: AT };
}

function flow(id: number, of: string, quantity: number): Flow {
  return { id, operationId: `operation-${of}`, goodsId: 'apple', quantity, token: id, at: AT };
}

function placed(...ids: readonly string[]): PlacedOrder {
  const planned = { key: ids[0]!, times: 2, request: { customer: 'Ada', lines: [] } } as const;
  return { planned, ids, replays: 1 };
}

const PLACED = [placed('a', 'a'), placed('b', 'b')];
const STOCK = { goodsId: 'apple', start: 10, sold: 3, amount: 7 };

/** Two orders, of which the second found too little: all is well. */
function figures(changes: {
  readonly orders?: readonly Order[];
  readonly flows?: readonly Flow[];
  readonly amount?: number;
  readonly total?: number;
  readonly holds?: boolean;
}): Figures {
  const orders = changes.orders ?? [order('a', 'confirmed', 3), order('b', 'failed', 8)];
  const flows = changes.flows ?? [flow(1, 'a', 3)];
  const of = (status: Order['status']) => orders.filter((one) => one.status === status).length;
  const stock = [{ ...STOCK, amount: changes.amount ?? STOCK.amount }];
  return {
    orders: {
      total: orders.length,
      confirmed: of('confirmed'),
      failed: of('failed'),
      pending: of('pending'),
      orders,
    },
    books: { stock, total: changes.total ?? flows.length, flows },
    balance: { holds: changes.holds ?? true, goods: stock },
  };
}

describe('the report of npm run shop', () => {
  it('says that stock and flows agree when they do', () => {
    const { agrees, verdict, checks } = audit(PLACED, figures({}));
    expect(checks.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(agrees).toBe(true);
    expect(verdict).toBe('shop: 2 orders, 1 confirmed, 1 failed, stock and flows agree');
  });

  const [a, b] = [order('a', 'confirmed', 3), order('b', 'failed', 8)];
  const tooMuch = order('a', 'confirmed', 11);
  it.each([
    ['a flow is missing', figures({ flows: [] }), 'violated by order a'],
    ['a flow is there twice', figures({ flows: [flow(1, 'a', 3), flow(2, 'a', 3)] }), 'violated by order a'],
    [
      'a flow is of another quantity',
      figures({ flows: [flow(1, 'a', 4)], amount: 6 }),
      'violated by order a',
    ],
    [
      'a failed order has a flow',
      figures({ flows: [flow(1, 'a', 3), flow(2, 'b', 8)] }),
      'violated by order b',
    ],
    ['a flow has no order', figures({ flows: [flow(1, 'a', 3), flow(2, 'c', 1)], amount: 6 }), 'flow 2'],
    ['the stock is one too low', figures({ amount: 6 }), 'stock = start − flows'],
    [
      'the stock is below zero',
      figures({ orders: [tooMuch, b], flows: [flow(1, 'a', 11)], amount: -1 }),
      'none is below zero',
    ],
    [
      'an order is pending',
      figures({ orders: [a, order('b', 'pending', 8)] }),
      'no order is pending: violated by order b',
    ],
    ['an order is lost', figures({ orders: [a] }), 'order b, which was answered but does not exist'],
    [
      'an order is there that no answer named',
      figures({ orders: [a, b, order('c', 'failed', 1)] }),
      'order c',
    ],
    ['the stock service does not agree', figures({ holds: false }), 'the stock service confirms the balance'],
    ['not all flows could be read', figures({ total: 5 }), 'the stock service confirms the balance'],
  ])('does not when %s', (_fault, bad, saying) => {
    const { agrees, verdict, checks } = audit(PLACED, bad);
    expect(agrees).toBe(false);
    expect(verdict).toMatch(/stock and flows DO NOT AGREE$/);
    const broken = checks.filter(({ isMet }) => !isMet).map(({ text }) => text);
    expect(broken.join('\n')).toContain(saying);
  });

  it('does not when a repeated request was answered with another order', () => {
    const { agrees, checks } = audit([placed('a', 'b')], figures({}));
    expect(agrees).toBe(false);
    expect(checks.filter(({ isMet }) => !isMet).map(({ text }) => text)).toContainEqual(
      expect.stringContaining('a and b'),
    );
  });
});

describe('the orders of npm run shop', () => {
  it.each([
    [200, 10],
    [500, 50],
    [1, 1],
    [7, 2],
  ])(
    'are %d over %d goods, every fifth sent twice, none with the same goods in two lines',
    (count, goods) => {
      const { orders, stock } = planOrders(count, goods);
      expect(orders).toHaveLength(count);
      expect(stock.size).toBe(goods);
      expect(orders.filter(({ times }) => times === 2)).toHaveLength(Math.ceil(count / 5));
      expect(new Set(orders.map(({ key }) => key)).size).toBe(count);
      for (const { request } of orders) {
        const wanted = request.lines.map(({ goodsId }) => goodsId);
        expect(new Set(wanted).size).toBe(wanted.length);
        expect(wanted.every((goodsId) => stock.has(goodsId))).toBe(true);
      }
      // As many rows as the services give at once.
      expect(orders.reduce((sum, { request }) => sum + request.lines.length, 0)).toBeLessThanOrEqual(1_000);
    },
  );

  it('want more of some goods than there is', () => {
    const { orders, stock } = planOrders(200, 10);
    const demand = (goods: string) =>
      orders
        .flatMap(({ request }) => request.lines)
        .filter(({ goodsId }) => goodsId === goods)
        .reduce((sum, { quantity }) => sum + quantity, 0);
    const scarce = [...stock].filter(([goods, amount]) => demand(goods) > amount);
    expect(scarce.map(([goods]) => goods)).toEqual(['apple', 'fig']);
  });
});
