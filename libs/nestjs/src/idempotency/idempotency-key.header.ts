import type { IdempotentSpec } from '../options/idempotent-spec.js';

/** A quoted string of RFC 9651 (structured fields). */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** An unquoted key, as many clients send it. */
const BARE = /^[\x21\x23-\x2b\x2d-\x7e]+$/;

/** Refusal of a request before its handler runs. */
export interface BadRequest {
  readonly status: 400 | 415;
  readonly code:
    | 'IDEMPOTENCY_KEY_MISSING'
    | 'IDEMPOTENCY_KEY_BAD'
    | 'IDEMPOTENCY_SCOPE_MISSING'
    | 'IDEMPOTENCY_PAYLOAD_UNREAD';
  readonly message: string;
}

/**
 * The key of a request: a quoted string, as draft-ietf-httpapi-idempotency-key-header requires, or a bare one.
 * Undefined if the request has no key and the handler requires none.
 */
export function keyInHeader(
  value: string | readonly string[] | undefined,
  { header, required }: Pick<IdempotentSpec, 'header' | 'required'>,
  maxLength: number,
): string | BadRequest | undefined {
  if (value === undefined && !required) return undefined;
  if (value === undefined)
    return { status: 400, code: 'IDEMPOTENCY_KEY_MISSING', message: `The header ${header} is required` };
  const text = typeof value === 'string' ? value.trim() : '';
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(text) ? text : '');
  return key.length > 0 && key.length <= maxLength ? key : badKey(header, maxLength);
}

/** For a key within `maxKeyLength` that is still too long for a resource name. */
export function longKey(header: string): BadRequest {
  const message = `The key in the header ${header} is too long for its operation and scope; %, {, } and : count three times`;
  return { status: 400, code: 'IDEMPOTENCY_KEY_BAD', message };
}

function badKey(header: string, maxLength: number): BadRequest {
  const message = `The header ${header} must be one key of 1 to ${maxLength} printable characters, in quotes or without spaces, quotes and commas`;
  return { status: 400, code: 'IDEMPOTENCY_KEY_BAD', message };
}
