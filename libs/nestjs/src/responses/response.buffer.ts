import type { ServerResponse } from 'node:http';
import { responseSnapshot, type ResponseSnapshot } from './response-snapshot.js';
import { endWithServerError } from './server-error.js';
import { isChunk, dryRun, WRITES, type ResponseHead, type WriteName } from './response.dry-run.js';

/**
 * Told of a response before its first byte goes out; undefined for one that is written in parts, of which only the status is
 * known. What it gives goes out in place of it; undefined lets it out as it is.
 */
export type BeforeSending = (
  snapshot: ResponseSnapshot | undefined,
  status: number,
) => Promise<ResponseSnapshot | undefined>;

type WriteMethod = (this: ServerResponse, ...args: unknown[]) => unknown;

/**
 * Held back before whoever writes is told to wait, in bytes. It is more than streams take at once, so that the one below (a
 * socket, a compressor) says itself when it can go on.
 */
const MAX_BUFFERED_BYTES = 2 ** 20;

/**
 * Holds back what is written to a response until `beforeSending` has ended. Whoever writes sees a response that has been sent
 * (`headersSent`) and, after many parts, one that is slow (`write()` is false, `drain` follows). What Node cannot send throws
 * at once, as it does without the buffer, and is not held.
 */
export class ResponseBuffer {
  readonly #response: ServerResponse;
  readonly #beforeSending: BeforeSending;
  readonly #originals = {} as Record<WriteName, WriteMethod>;
  /** What waits. */
  readonly #writes: (() => unknown)[] = [];
  #bufferedBytes = 0;
  #state: 'idle' | 'headed' | 'holding' | 'whole' | 'open' = 'idle';
  /** Once it is fixed. */
  #head: ResponseHead | undefined;

  constructor(response: ServerResponse, beforeSending: BeforeSending) {
    this.#response = response;
    this.#beforeSending = beforeSending;
    for (const name of WRITES) {
      this.#originals[name] = (response as unknown as Record<string, WriteMethod>)[name]!;
      Object.defineProperty(response, name, {
        configurable: true,
        writable: true,
        value: (...args: unknown[]) => this.#write(name, args),
      });
    }
  }

  /** Lets everything through from now on. */
  passThrough(): void {
    this.#state = 'open';
  }

  #write(name: WriteName, args: unknown[]): unknown {
    const write = (): unknown => this.#originals[name].apply(this.#response, args);
    if (this.#state === 'open') return write();
    // After the end of a response nothing belongs to it.
    if (this.#state !== 'whole') {
      this.#check(name, args);
      this.#writes.push(write);
      this.#bufferedBytes += name === 'write' ? lengthOf(args[0]) : 0;
    }
    // With a head alone Node sends nothing either.
    if (this.#state === 'idle' && name === 'writeHead') this.#fixHead();
    else if (this.#state === 'idle' || this.#state === 'headed') this.#begin(name, args);
    return name === 'write' ? this.#bufferedBytes < MAX_BUFFERED_BYTES : this.#response;
  }

  #check(name: WriteName, args: readonly unknown[]): void {
    if (this.#head === undefined) this.#head = dryRun(this.#response, name, args);
    else if (name === 'writeHead') throw new HeadersSentError();
    else if (args.length > 0 && !isChunk(args[0])) dryRun(this.#response, name, args);
  }

  #fixHead(): void {
    this.#state = 'headed';
    this.#response.statusCode = this.#head!.status;
    Object.defineProperty(this.#response, 'headersSent', { configurable: true, get: () => true });
  }

  #begin(name: WriteName, [body, encoding]: unknown[]): void {
    const response = this.#response;
    const head = this.#head!;
    const isWhole = name === 'end';
    this.#fixHead();
    this.#state = isWhole ? 'whole' : 'holding';
    const snapshot = isWhole ? wholeSnapshot(head, body, encoding) : undefined;
    void this.#beforeSending(snapshot, head.status)
      .finally(() => {
        Reflect.deleteProperty(response, 'headersSent');
        this.passThrough();
      })
      .then((other) => (other === undefined ? this.#flush(snapshot) : sendSnapshot(response, other)))
      .catch((error: unknown) => endWithServerError(response, error));
  }

  #flush(snapshot: ResponseSnapshot | undefined): void {
    const response = this.#response;
    if (snapshot !== undefined) {
      // Whatever came after it, such as an error, has begun a response of its own.
      for (const name of response.getHeaderNames())
        if (!(name in snapshot.headers)) response.removeHeader(name);
      setHead(response, snapshot);
    }
    let last: unknown;
    for (const write of this.#writes) last = write();
    if (last === true) response.emit('drain');
  }
}

/** As that of Node, which cannot be made from outside. */
class HeadersSentError extends Error {
  readonly code = 'ERR_HTTP_HEADERS_SENT';
  constructor() {
    super('Cannot write headers after they are sent to the client');
  }
}

/** Sends a response in place of whatever was set before; headers that it does not know stay. */
export function sendSnapshot(response: ServerResponse, snapshot: ResponseSnapshot): void {
  if (response.headersSent) return;
  const { status, body } = snapshot;
  setHead(response, snapshot);
  const hasLength = status !== 204 && status !== 304 && response.req.method !== 'HEAD';
  if (hasLength) response.setHeader('content-length', body.length);
  else response.removeHeader('content-length');
  response.end(body.length === 0 ? undefined : body);
}

function setHead(response: ServerResponse, { status, headers }: ResponseSnapshot): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function lengthOf(chunk: unknown): number {
  if (typeof chunk === 'string') return chunk.length;
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}

function wholeSnapshot(
  { status, headers }: ResponseHead,
  body: unknown,
  encoding: unknown,
): ResponseSnapshot {
  const isEncoding = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return responseSnapshot(status, headers, isChunk(body) ? body : undefined, isEncoding ? encoding : 'utf8');
}
