/** Wrong arguments. The message names the argument and what it should be, and never shows a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
