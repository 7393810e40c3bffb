import type { Observable } from 'rxjs';
import type { OrderChange, OrderList } from '../common/contract.js';

/** What the page shows, and where it comes from. */
export interface PageSource {
  /** Changes of orders, as they happen; the feed ends when it completes. */
  readonly news: Observable<OrderChange>;
  /** Counts of all orders, and the newest ones. */
  orders(limit: number): Promise<OrderList>;
  /** Of the stock service, whose books are shown beside the orders. */
  readonly stockUrl: string;
}

/** Under which the module has its {@link PageSource}. */
export const PAGE_SOURCE = Symbol('PageSource');
