/** A buyer's order of one item. */
export interface PurchaseOrder {
  readonly buyer: string;
  /** Chosen by the buyer, the same in every retry: an order is sold once, however often it is sent. */
  readonly requestId: string;
}
