/**
 * The answer to a request, never a bare database error: `success`; `repeat request`, it was executed before;
 * `overtaken`, the row has changed since it was read; `sold out`; `deadlock`, the database has rolled the request back.
 */
export type Answer = 'success' | 'repeat request' | 'overtaken' | 'sold out' | 'deadlock';
