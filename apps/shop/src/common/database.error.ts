/** The database failed a request that may succeed when repeated. Answered with 503. */
export class DatabaseError extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';

  constructor(cause: unknown) {
    super('the database did not answer or could not execute the request; retry', { cause });
    this.name = 'DatabaseError';
  }
}
