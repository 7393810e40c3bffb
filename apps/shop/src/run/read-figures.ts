import { setTimeout as sleep } from 'node:timers/promises';
import type { Balance, OrderList, StockBooks } from '../common/contract.js';
import type { OpenShop } from './open-shop.js';

/** What the two services say when everything is over. */
export interface Figures {
  readonly orders: OrderList;
  readonly books: StockBooks;
  readonly balance: Balance;
}

/** As many rows as the services give at once. */
const ALL = 1_000;
const ASK_EVERY_MS = 200;
/** For the orders that nobody waits for any more: the reconciler settles them. */
const SETTLED_WITHIN_MS = 60_000;
const TRY_MS = 10_000;

/** Waits until no order is pending, if it comes to that within a minute, and reads everything. */
export async function readFigures({ orders, stock }: OpenShop): Promise<Figures> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  while (
    (await read<OrderList>(`${orders.url}/orders?limit=1`)).pending > 0 &&
    performance.now() < deadline
  ) {
    await sleep(ASK_EVERY_MS);
  }
  return {
    orders: await read(`${orders.url}/orders?limit=${ALL}`),
    books: await read(`${stock.url}/books?limit=${ALL}`),
    balance: await read(`${stock.url}/balance`),
  };
}

async function read<T>(url: string): Promise<T> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(TRY_MS) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return (await answer.json()) as T;
}
