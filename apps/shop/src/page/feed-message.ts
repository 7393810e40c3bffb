import type { OrderList, StockBooks } from '../common/contract.js';

/** How many orders and how many flows the page shows. */
export const SHOWN = 50;

/** Whether start − flows is the stock, of all goods in one snapshot; unknown until the stock service has answered. */
export type BalanceWord = 'agrees' | 'broken' | 'unknown';

/** The state of the stock. While the stock service does not answer, the page keeps its last figures. */
export type StockView =
  | { readonly isHere: true; readonly books: StockBooks; readonly balance: BalanceWord }
  | { readonly isHere: false; readonly balance: 'unknown' };

/** Figures that change with every order. */
export interface FeedFigures {
  readonly counts: Omit<OrderList, 'orders'>;
  readonly stock: StockView;
}

/** The first message of every connection: the whole content of the page. */
export interface FeedSnapshot extends FeedFigures {
  readonly orders: OrderList['orders'];
}
