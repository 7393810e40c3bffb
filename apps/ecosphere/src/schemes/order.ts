/** A customer's order, sent again under the same id after a time-out or a double click. */
export interface Order {
  readonly id: string;
  readonly goodsId: string;
  readonly num: number;
}
