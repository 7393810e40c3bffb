/**
 * The key in the header `Idempotency-Key`, which may be in quotes. `@Idempotent()` has already checked it; both forms
 * of a key must be the same key here too.
 */
export function requestKeyOf(header: string): string {
  const text = header.trim();
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
}
