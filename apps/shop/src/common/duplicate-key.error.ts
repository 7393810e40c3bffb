/** A row with this key exists: another request was first. */
export class DuplicateKeyError extends Error {
  readonly code = 'DUPLICATE_KEY';

  constructor(cause: unknown) {
    super('a row with this key exists', { cause });
    this.name = 'DuplicateKeyError';
  }
}
