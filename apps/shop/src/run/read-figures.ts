import { setTimeout as sleep } from 'node:timers/promises';
import type { Balance, OrderList, StockBooks } from '../common/contract.js';
import type { OpenShop } from './open-shop.js';

/** The figures of the two services after the run. */
export interface Figures {
  readonly orders: OrderList;
  readonly books: StockBooks;
  readonly balance: Balance;
}

/** As many rows as the services return at once. */
const ALL = 1_000;
const ASK_EVERY_MS = 200;
/** For orders without a waiting client: the reconciler settles them. */
const SETTLED_WITHIN_MS = 60_000;
const TRY_MS = 10_000;

/** Waits up to a minute until no order is pending, and reads everything. */
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
