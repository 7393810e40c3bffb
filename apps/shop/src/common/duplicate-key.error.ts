/** A row with this key is there: somebody else was first. */
export class DuplicateKeyError extends Error {
  readonly code = 'DUPLICATE_KEY';

  constructor(cause: unknown) {
    super('a row with this key exists', { cause });
    this.name = 'DuplicateKeyError';
  }
}
