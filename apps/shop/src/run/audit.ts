import type { Flow, Order, OrderLine, StockRow } from '../common/contract.js';
import type { PlacedOrder } from './place-orders.js';
import type { Figures } from './read-figures.js';

/** A condition, and whether it holds. */
export interface Check {
  readonly isMet: boolean;
  readonly text: string;
}

/** Result of a run. */
export interface Audit {
  readonly checks: readonly Check[];
  readonly agrees: boolean;
  /** The last line: scripts compare it. */
  readonly verdict: string;
}

/** Compares the placed orders with the records of both services. */
export function audit(placed: readonly PlacedOrder[], { orders, books, balance }: Figures): Audit {
  const flowsOf = (id: string) => books.flows.filter(({ operationId }) => operationId === id);
  const operations = new Set(orders.orders.map(({ operationId }) => operationId));
  const repeated = placed.filter(({ planned }) => planned.times > 1);
  const checks: readonly Check[] = [
    check('every order exists once, and no other order exists', misplaced(placed, orders.orders)),
    check('no order is pending', orders.orders.filter(({ status }) => status === 'pending').map(idOf)),
    check(
      'a confirmed order has one flow for each of its lines; other orders have none',
      orders.orders.filter((order) => !hasItsFlows(order, flowsOf(order.operationId))).map(idOf),
    ),
    check(
      'every flow belongs to an order',
      books.flows.filter(({ operationId }) => !operations.has(operationId)).map(({ id }) => `flow ${id}`),
    ),
    check('stock = start − flows, and none is below zero', unbalanced(books.stock, books.flows)),
    {
      isMet: balance.holds && books.total === books.flows.length,
      text: 'the stock service confirms the balance',
    },
    check(
      `${repeated.length} repeated requests were answered with the order of the first`,
      repeated.filter(({ ids }) => new Set(ids).size > 1).map(({ ids }) => ids.join(' and ')),
    ),
  ];
  const agrees = checks.every(({ isMet }) => isMet);
  return {
    checks,
    agrees,
    verdict:
      `shop: ${orders.total} orders, ${orders.confirmed} confirmed, ${orders.failed} failed, ` +
      `stock and flows ${agrees ? 'agree' : 'DO NOT AGREE'}`,
  };
}

/** @param against the exceptions */
function check(text: string, against: readonly string[]): Check {
  if (against.length === 0) return { isMet: true, text };
  const [first] = against;
  const rest = against.length === 1 ? '' : ` and ${against.length - 1} more`;
  return { isMet: false, text: `${text}: violated by ${first!}${rest}` };
}

function idOf({ id }: Order): string {
  return `order ${id}`;
}

function misplaced(placed: readonly PlacedOrder[], orders: readonly Order[]): string[] {
  const asked = new Set(placed.flatMap(({ ids }) => ids));
  const known = new Set(orders.map(({ id }) => id));
  return [
    ...[...asked]
      .filter((id) => !known.has(id))
      .map((id) => `order ${id}, which was answered but does not exist`),
    ...orders.filter(({ id }) => !asked.has(id)).map((order) => `${idOf(order)}, which no answer named`),
    ...(known.size === placed.length ? [] : [`${known.size} orders, but ${placed.length} were placed`]),
  ];
}

function hasItsFlows({ status, lines }: Order, flows: readonly Flow[]): boolean {
  const expected = status === 'confirmed' ? lines : [];
  return flows.length === expected.length && expected.every((line) => flows.some((flow) => isOf(line, flow)));
}

function isOf(line: OrderLine, flow: Flow): boolean {
  return line.goodsId === flow.goodsId && line.quantity === flow.quantity;
}

function unbalanced(stock: readonly StockRow[], flows: readonly Flow[]): string[] {
  return stock
    .filter(({ goodsId, start, amount }) => {
      const taken = flows
        .filter((flow) => flow.goodsId === goodsId)
        .reduce((sum, { quantity }) => sum + quantity, 0);
      return amount < 0 || start - taken !== amount;
    })
    .map(({ goodsId }) => goodsId);
}
