import type { ServerResponse } from 'node:http';
import { responseSnapshot, type ResponseSnapshot } from './response-snapshot.js';
import { endWithServerError } from './server-error.js';
import { isChunk, dryRun, WRITES, type ResponseHead, type WriteName } from './response.dry-run.js';

/**
 * Called before the first byte of a response. The snapshot is undefined for a response written in parts, of which only
 * the status is known. A returned snapshot is sent instead; undefined sends the response unchanged.
 */
export type BeforeSending = (
  snapshot: ResponseSnapshot | undefined,
  status: number,
) => Promise<ResponseSnapshot | undefined>;

type WriteMethod = (this: ServerResponse, ...args: unknown[]) => unknown;

/**
 * Bytes held back before the writer gets backpressure. More than streams write at once, so that the stream below (a
 * socket, a compressor) reports itself when it can continue.
 */
const MAX_BUFFERED_BYTES = 2 ** 20;

/**
 * Holds back the writes to a response until `beforeSending` has ended. The writer sees a sent response (`headersSent`)
 * and, after many parts, a slow one (`write()` is false, `drain` follows).
 * A write that Node rejects throws at once, as without the buffer, and is not held.
 */
export class ResponseBuffer {
  readonly #response: ServerResponse;
  readonly #beforeSending: BeforeSending;
  readonly #originals = {} as Record<WriteName, WriteMethod>;
  /** Writes held back. */
  readonly #writes: (() => unknown)[] = [];
  #bufferedBytes = 0;
  #state: 'idle' | 'headed' | 'holding' | 'whole' | 'open' = 'idle';
  /** Set once the head is final. */
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

  /** Lets all further writes through. */
  passThrough(): void {
    this.#state = 'open';
  }

  #write(name: WriteName, args: unknown[]): unknown {
    const write = (): unknown => this.#originals[name].apply(this.#response, args);
    if (this.#state === 'open') return write();
    // Writes after the end of a response do not belong to it.
    if (this.#state !== 'whole') {
      this.#check(name, args);
      this.#writes.push(write);
      this.#bufferedBytes += name === 'write' ? lengthOf(args[0]) : 0;
    }
    // Node sends nothing for a head alone either.
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
      // A later response, such as that of an error, has set its own headers.
      for (const name of response.getHeaderNames())
        if (!(name in snapshot.headers)) response.removeHeader(name);
      setHead(response, snapshot);
    }
    let last: unknown;
    for (const write of this.#writes) last = write();
    if (last === true) response.emit('drain');
  }
}

/** Mimics Node's error, which cannot be created from outside. */
class HeadersSentError extends Error {
  readonly code = 'ERR_HTTP_HEADERS_SENT';
  constructor() {
    super('Cannot write headers after they are sent to the client');
  }
}

/** Sends the snapshot instead of the prepared response; headers that the snapshot lacks stay. */
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
