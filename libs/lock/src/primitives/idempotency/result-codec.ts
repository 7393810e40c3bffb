/** How results and errors of a body become JSON, and come back. */
export interface ResultCodec<T> {
  /** The stored form of a result: any JSON value. @default the result itself */
  encode?(value: T): unknown;
  decode?(stored: unknown): T;
  /**
   * The stored form of an error; undefined stores nothing, so that the next request runs again.
   * @default nothing
   */
  encodeError?(error: unknown): unknown;
  /** The error that repeated requests are answered with. */
  decodeError?(stored: unknown): unknown;
}

type UnstoredReason = 'tooLarge' | 'notSerializable';

/** The stored outcome of a completed request. */
export type StoredResult =
  | { readonly kind: 'value'; readonly stored: unknown }
  | { readonly kind: 'error'; readonly stored: unknown }
  | { readonly kind: 'nothing'; readonly reason: UnstoredReason };

/** The text of a result; where it cannot be stored, that of the reason. */
export function textOfResult(kind: 'value' | 'error', encode: () => unknown, maxBytes: number): string {
  let stored: unknown;
  let text: string;
  try {
    stored = encode();
    text = JSON.stringify({ kind, stored });
  } catch {
    return nothing('notSerializable');
  }
  // A function or a symbol is left out of JSON without a word.
  if (stored !== undefined && !('stored' in (JSON.parse(text) as object))) return nothing('notSerializable');
  return Buffer.byteLength(text) > maxBytes ? nothing('tooLarge') : text;
}

/** Undefined for a text that was not written here. */
export function resultOfText(text: string): StoredResult | undefined {
  try {
    const result = JSON.parse(text) as StoredResult;
    return ['value', 'error', 'nothing'].includes(result.kind) ? result : undefined;
  } catch {
    return undefined;
  }
}

function nothing(reason: UnstoredReason): string {
  return JSON.stringify({ kind: 'nothing', reason } satisfies StoredResult);
}
