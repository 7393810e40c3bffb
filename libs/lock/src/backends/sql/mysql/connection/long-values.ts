import type { Statement } from '../../connection/link.js';

/** mysql2 3.24.0 and 3.24.1 send no longer value with a prepared statement, in bytes (sidorares/node-mysql2#4499). */
const MAX_BYTES = 65_534;
/** Characters in one piece: in UTF-8 they fit in any case. */
const PIECE = 16_000;
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Splits the longer texts of a statement into pieces, which the server joins. The statement
 * contains no `?` other than the placeholders of values.
 */
export function splitLongValues({ name, text, values }: Statement): Statement {
  if (!values.some(isLong)) return { name, text, values };
  let position = 0;
  const joined = text.replaceAll('?', () => {
    const value = values[position++];
    return isLong(value) ? `CONCAT(${piecesOf(value).fill('?').join(', ')})` : '?';
  });
  return {
    name,
    text: joined,
    values: values.flatMap((value) => (isLong(value) ? piecesOf(value) : [value])),
  };
}

function isLong(value: unknown): value is string {
  if (typeof value !== 'string' || value.length * MAX_BYTES_PER_CHARACTER <= MAX_BYTES) return false;
  return Buffer.byteLength(value) > MAX_BYTES;
}

/** In numbers that are powers of two, so that few statements are prepared: the last ones are empty. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + PIECE;
    // Two units that are one character stay together.
    const isWithin = text.codePointAt(end - 1)! > 0xffff;
    pieces.push(text.slice(at, isWithin ? end + 1 : end));
    at = isWithin ? end + 1 : end;
  }
  const length = 2 ** Math.ceil(Math.log2(pieces.length));
  return [...pieces, ...Array<string>(length - pieces.length).fill('')];
}
