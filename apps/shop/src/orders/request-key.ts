/**
 * The key in the header `Idempotency-Key`, which may stand in quotes. `@Idempotent()` has checked it before; the same key in
 * another form must be the same one here too.
 */
export function requestKeyOf(header: string): string {
  const text = header.trim();
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
}
