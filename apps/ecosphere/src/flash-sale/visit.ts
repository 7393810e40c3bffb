/** A buyer at the counter. */
export interface Visit {
  /** Number of the buyer, from 0 in each process. */
  readonly buyer: number;
  /** When the buyer started to wait, in ns of the system-wide monotonic clock. */
  readonly askedAt: number;
  /** True while a node is down: a slow purchase keeps the sale running until the node is back. */
  readonly isSlow: boolean;
}
