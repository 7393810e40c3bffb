/** One row of the book: a sold item. */
export interface Sale {
  /** From 1, without gaps. */
  readonly number: number;
  readonly requestId: string;
  readonly buyer: string;
  /** Fencing token of the turn that sold it; grows from row to row. */
  readonly token: number;
  /** Stock that the seller had seen before. Without another sale in between, it is one more than `left`. */
  readonly seen: number;
  readonly left: number;
  /** Process id of the shop that sold it. */
  readonly soldBy: number;
}

/** The sale as a whole, read in one step. */
export interface Balance {
  /** Items at the beginning. */
  readonly stock: number;
  readonly sold: number;
  readonly left: number;
  /** How often a holder came with a token that was too old: nothing was written. */
  readonly refused: number;
}
