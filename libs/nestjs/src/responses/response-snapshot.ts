import { HttpStatus } from '@nestjs/common';
import type { OutgoingHttpHeaders } from 'node:http';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A complete response as sent. */
export interface ResponseSnapshot {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Headers;
  /** Empty if the response has no body. */
  readonly body: Buffer;
}

/** A response as stored: a text body unchanged, any other in base64. */
interface StoredResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text?: string;
  readonly base64?: string;
}

/** Headers of the connection or the moment: each response has its own. */
const PER_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'connection', 'content-length', 'date', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]); // prettier-ignore
/** Without these headers, the client cannot decode the body. */
const BODY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);
/** Statuses below 500 after which a retry may succeed. */
const RETRYABLE: ReadonlySet<number> = new Set([
  HttpStatus.REQUEST_TIMEOUT,
  425, // Too Early
  HttpStatus.TOO_MANY_REQUESTS,
]);

/** Whether a repeated request may get another response later. */
export function isRetryable(status: number): boolean {
  return status >= 500 || RETRYABLE.has(status);
}

/** @param body the body given to Node or Fastify; undefined and null are no body */
export function responseSnapshot(
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array | null | undefined,
  encoding: BufferEncoding = 'utf8',
): ResponseSnapshot {
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : Buffer.from(body ?? []);
  return { status, headers: textsOf(headers), body: bytes };
}

/** The headers to store. */
export interface HeaderSelection {
  /** Headers set before the handler began, which belong to the request alone. */
  readonly before: OutgoingHttpHeaders;
  /** These are stored, besides those that describe the body. Undefined: all that were set since, except cookies. */
  readonly names: readonly string[] | undefined;
}

/** The stored form of a response. */
export function storedResponse(
  { status, headers, body }: ResponseSnapshot,
  { before, names }: HeaderSelection,
): object {
  const known = textsOf(before);
  const isChosen = (name: string): boolean =>
    BODY_HEADERS.has(name) ||
    (names?.includes(name) ?? (name !== 'set-cookie' && !isSame(known[name], headers[name])));
  const chosen = Object.entries(headers).filter(
    ([name]) => !PER_RESPONSE_HEADERS.has(name) && isChosen(name),
  );
  const text = body.toString();
  const content = Buffer.from(text).equals(body) ? { text } : { base64: body.toString('base64') };
  return { status, headers: Object.fromEntries(chosen), ...content } satisfies StoredResponse;
}

/** The response of a stored form; undefined for any other value. */
export function snapshotOfStored(stored: unknown): ResponseSnapshot | undefined {
  const { status, headers, text, base64 } = (stored ?? {}) as Partial<StoredResponse>;
  const body = text ?? base64;
  if (typeof status !== 'number' || typeof headers !== 'object' || typeof body !== 'string') return undefined;
  return { status, headers, body: Buffer.from(body, text === undefined ? 'base64' : 'utf8') };
}

function textsOf(headers: OutgoingHttpHeaders): Headers {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name.toLowerCase(), Array.isArray(value) ? value.map(String) : String(value)] as const],
  );
  return Object.fromEntries(texts);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
