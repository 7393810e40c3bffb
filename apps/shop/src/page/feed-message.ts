import type { OrderList, StockBooks } from '../common/contract.js';

/** How many orders and how many flows are shown. */
export const SHOWN = 50;

/** Whether start − flows is the stock, of all goods in one snapshot; unknown until the stock service has answered. */
export type BalanceWord = 'agrees' | 'broken' | 'unknown';

/** What is known of the stock. Without an answer of the stock service, the page goes on to show what it has. */
export type StockView =
  | { readonly isHere: true; readonly books: StockBooks; readonly balance: BalanceWord }
  | { readonly isHere: false; readonly balance: 'unknown' };

/** What changes with every order. */
export interface FeedFigures {
  readonly counts: Omit<OrderList, 'orders'>;
  readonly stock: StockView;
}

/** The first message of every connection: all that the page shows. */
export interface FeedSnapshot extends FeedFigures {
  readonly orders: OrderList['orders'];
}
