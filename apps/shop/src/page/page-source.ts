import type { Observable } from 'rxjs';
import type { OrderChange, OrderList } from '../common/contract.js';

/** The content of the page, and its sources. */
export interface PageSource {
  /** Changes of orders, as they happen; the feed ends when it completes. */
  readonly news: Observable<OrderChange>;
  /** Counts of all orders, and the newest ones. */
  orders(limit: number): Promise<OrderList>;
  /** URL of the stock service, whose books are shown with the orders. */
  readonly stockUrl: string;
}

/** Token of the module's {@link PageSource}. */
export const PAGE_SOURCE = Symbol('PageSource');
