/**
 * The stock service gave no conclusive answer: it may have executed the request, or the request may be still in flight.
 */
export class StockUnansweredError extends Error {
  readonly code = 'STOCK_UNANSWERED';

  constructor(
    detail: string,
    /** Whether a retry of the same request may be answered. */
    readonly isWorthRetrying: boolean,
    options?: ErrorOptions,
  ) {
    super(`the stock service did not report an outcome: ${detail}`, options);
    this.name = 'StockUnansweredError';
  }
}
