/** A buyer at the counter. */
export interface Visit {
  /** Number of the buyer, from 0 in each process. */
  readonly buyer: number;
  /** When it asked, in ns of the system-wide monotonic clock. */
  readonly askedAt: number;
  /** Takes its time at the counter while a node is away, so that the sale is not over before it is back. */
  readonly isSlow: boolean;
}
