import type { ServerResponse } from 'node:http';
import { httpAnswer, type HttpAnswer } from './http.answer.js';
import { endWithFault } from './response.fault.js';
import { isChunk, rehearse, WRITES, type Head, type WriteName } from './response.rehearsal.js';

/**
 * Told of an answer before its first byte goes out; undefined for one that is written in parts, of which only the status is
 * known. What it gives goes out in place of it; undefined lets it out as it is.
 */
export type BeforeSending = (
  answer: HttpAnswer | undefined,
  status: number,
) => Promise<HttpAnswer | undefined>;

type Write = (this: ServerResponse, ...args: unknown[]) => unknown;

/**
 * Held back before whoever writes is told to wait, in bytes. It is more than streams take at once, so that the one below (a
 * socket, a compressor) says itself when it can go on.
 */
const MOST_HELD = 2 ** 20;

/**
 * Holds back what is written to a response until `beforeSending` has ended. Whoever writes sees a response that has been sent
 * (`headersSent`) and, after many parts, one that is slow (`write()` is false, `drain` follows). What Node cannot send throws
 * at once, as it does without the gate, and is not held.
 */
export class ResponseGate {
  readonly #response: ServerResponse;
  readonly #beforeSending: BeforeSending;
  readonly #originals = {} as Record<WriteName, Write>;
  /** What waits. */
  readonly #held: (() => unknown)[] = [];
  #heldBytes = 0;
  #state: 'idle' | 'headed' | 'holding' | 'whole' | 'open' = 'idle';
  /** Once it is fixed. */
  #head: Head | undefined;

  constructor(response: ServerResponse, beforeSending: BeforeSending) {
    this.#response = response;
    this.#beforeSending = beforeSending;
    for (const name of WRITES) {
      this.#originals[name] = (response as unknown as Record<string, Write>)[name]!;
      Object.defineProperty(response, name, {
        configurable: true,
        writable: true,
        value: (...args: unknown[]) => this.#write(name, args),
      });
    }
  }

  /** Lets everything through from now on. */
  open(): void {
    this.#state = 'open';
  }

  #write(name: WriteName, args: unknown[]): unknown {
    const write = (): unknown => this.#originals[name].apply(this.#response, args);
    if (this.#state === 'open') return write();
    // After the end of an answer nothing belongs to it.
    if (this.#state !== 'whole') {
      this.#judge(name, args);
      this.#held.push(write);
      this.#heldBytes += name === 'write' ? lengthOf(args[0]) : 0;
    }
    // With a head alone Node sends nothing either.
    if (this.#state === 'idle' && name === 'writeHead') this.#fixHead();
    else if (this.#state === 'idle' || this.#state === 'headed') this.#begin(name, args);
    return name === 'write' ? this.#heldBytes < MOST_HELD : this.#response;
  }

  #judge(name: WriteName, args: readonly unknown[]): void {
    if (this.#head === undefined) this.#head = rehearse(this.#response, name, args);
    else if (name === 'writeHead') throw new HeadersSentError();
    else if (args.length > 0 && !isChunk(args[0])) rehearse(this.#response, name, args);
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
    const answer = isWhole ? wholeAnswer(head, body, encoding) : undefined;
    void this.#beforeSending(answer, head.status)
      .finally(() => {
        Reflect.deleteProperty(response, 'headersSent');
        this.open();
      })
      .then((other) => (other === undefined ? this.#release(answer) : sendAnswer(response, other)))
      .catch((error: unknown) => endWithFault(response, error));
  }

  #release(answer: HttpAnswer | undefined): void {
    const response = this.#response;
    if (answer !== undefined) {
      // Whatever came after it, such as an error, has begun an answer of its own.
      for (const name of response.getHeaderNames())
        if (!(name in answer.headers)) response.removeHeader(name);
      setHead(response, answer);
    }
    let last: unknown;
    for (const write of this.#held) last = write();
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

/** Sends an answer in place of whatever was set before; headers that it does not know stay. */
export function sendAnswer(response: ServerResponse, answer: HttpAnswer): void {
  if (response.headersSent) return;
  const { status, body } = answer;
  setHead(response, answer);
  const hasLength = status !== 204 && status !== 304 && response.req.method !== 'HEAD';
  if (hasLength) response.setHeader('content-length', body.length);
  else response.removeHeader('content-length');
  response.end(body.length === 0 ? undefined : body);
}

function setHead(response: ServerResponse, { status, headers }: HttpAnswer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function lengthOf(chunk: unknown): number {
  if (typeof chunk === 'string') return chunk.length;
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}

function wholeAnswer({ status, headers }: Head, body: unknown, encoding: unknown): HttpAnswer {
  const isEncoding = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return httpAnswer(status, headers, isChunk(body) ? body : undefined, isEncoding ? encoding : 'utf8');
}
