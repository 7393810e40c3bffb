import { HttpStatus } from '@nestjs/common';
import type { OutgoingHttpHeaders } from 'node:http';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A response as it goes out, whole. */
export interface ResponseSnapshot {
  readonly status: number;
  /** Their names in lower case. */
  readonly headers: Headers;
  /** Empty where there is none. */
  readonly body: Buffer;
}

/** A response as it is stored: the body as it is where it is text, else in base64. */
interface StoredResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text?: string;
  readonly base64?: string;
}

/** Those of the connection and of the moment: each response has its own. */
const PER_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'connection', 'content-length', 'date', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade',
]); // prettier-ignore
/** Without them nobody can read the body. */
const BODY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);
/** Below 500 too: a retry may succeed. */
const RETRYABLE: ReadonlySet<number> = new Set([
  HttpStatus.REQUEST_TIMEOUT,
  425, // Too Early
  HttpStatus.TOO_MANY_REQUESTS,
]);

/** Whether the same request may get another response later. */
export function isRetryable(status: number): boolean {
  return status >= 500 || RETRYABLE.has(status);
}

/** @param body what Node or Fastify is given to send; undefined and null are no body */
export function responseSnapshot(
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array | null | undefined,
  encoding: BufferEncoding = 'utf8',
): ResponseSnapshot {
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : Buffer.from(body ?? []);
  return { status, headers: textsOf(headers), body: bytes };
}

/** Which headers of a response are stored. */
export interface HeaderSelection {
  /** What was there before the handler began, which belongs to the request alone. */
  readonly before: OutgoingHttpHeaders;
  /** These and those that describe the body. Undefined: all that were set since, but cookies. */
  readonly names: readonly string[] | undefined;
}

/** What is stored of a response. */
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

/** The response behind what is stored; undefined where something else is. */
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
