/**
 * What a request is told, which is never a bare error of the database: `success`; `repeat request`, it was carried out before;
 * `overtaken`, the row has changed since it was read; `sold out`; `dead-lock`, the database has rolled the request back.
 */
export type Answer = 'success' | 'repeat request' | 'overtaken' | 'sold out' | 'dead-lock';
