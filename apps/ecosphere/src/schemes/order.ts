/** What a customer sends, and sends again after a time-out or a double click, under the same id. */
export interface Order {
  readonly id: string;
  readonly goodsId: string;
  readonly num: number;
}
