import { BadRequestException } from '@nestjs/common';
import type { IdempotentSpec } from './idempotent-spec.js';

/** Longest key in a header, in characters. */
const MOST = 255;
/** A string of RFC 8941 (structured fields), in its quotes. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** Without quotes, as many clients send it. */
const BARE = /^[\x21\x23-\x2b\x2d-\x7e]+$/;

/**
 * The key of a request, as draft-ietf-httpapi-idempotency-key-header has it (a quoted string) or bare; undefined where there is
 * none and none is required.
 * @throws BadRequestException for a missing or bad one
 */
export function keyInHeader(
  value: string | readonly string[] | undefined,
  { header, required }: Pick<IdempotentSpec, 'header' | 'required'>,
): string | undefined {
  if (value === undefined && !required) return undefined;
  if (value === undefined) throw refusal('IDEMPOTENCY_KEY_MISSING', `The header ${header} is required`);
  const text = typeof value === 'string' ? value.trim() : '';
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(text) ? text : '');
  if (key.length > 0 && key.length <= MOST) return key;
  throw refusal(
    'IDEMPOTENCY_KEY_BAD',
    `The header ${header} must be one key of 1 to ${MOST} printable characters`,
  );
}

function refusal(code: string, message: string): BadRequestException {
  return new BadRequestException({ statusCode: 400, error: 'Bad Request', message, code });
}
