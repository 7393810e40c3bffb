/** The stock service gave no answer that says what happened: it may have been carried out, or be still on its way. */
export class StockUnansweredError extends Error {
  readonly code = 'STOCK_UNANSWERED';

  constructor(
    detail: string,
    /** Whether the same request may be answered when it is sent again. */
    readonly isWorthRetrying: boolean,
    options?: ErrorOptions,
  ) {
    super(`the stock service did not report an outcome: ${detail}`, options);
    this.name = 'StockUnansweredError';
  }
}
