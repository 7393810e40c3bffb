import type { AbstractHttpAdapter } from '@nestjs/core';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { responseSnapshot, type ResponseSnapshot } from './response-snapshot.js';
import { endWithServerError } from './server-error.js';
import type { BeforeSending } from './response.buffer.js';
import { canBegin, isChunk, type ResponseHead } from './response.dry-run.js';

/** Members of a Fastify reply that this package uses. */
export interface FastifyReply {
  readonly raw: ServerResponse;
  statusCode: number;
  getHeaders(): OutgoingHttpHeaders;
  header(name: string, value: unknown): unknown;
  removeHeader(name: string): unknown;
  send(payload?: unknown): unknown;
}

interface FastifyInstance {
  addHook(
    name: 'onSend',
    hook: (
      request: unknown,
      reply: FastifyReply,
      payload: unknown,
      done: (error: Error | null, payload?: unknown) => void,
    ) => void,
  ): unknown;
}

/** Callbacks that run before a response leaves, with the payload after Fastify's serializer. */
const callbacks = new WeakMap<ServerResponse, BeforeSending>();
const hooked = new WeakSet<object>();

export function isFastify(adapter: AbstractHttpAdapter): boolean {
  return adapter.getType() === 'fastify';
}

/** Called once per application, before it listens. */
export function hookIntoFastify(adapter: AbstractHttpAdapter): void {
  const instance = adapter.getInstance<FastifyInstance>();
  if (hooked.has(instance)) return;
  hooked.add(instance);
  instance.addHook('onSend', (_request, reply, payload, done) => {
    const beforeSending = callbacks.get(reply.raw);
    if (beforeSending === undefined) return done(null, payload);
    // Fastify must fail at once, as it does without this hook, rather than after the response was stored.
    if (beforeSending !== dropReply && !isSendable(reply, payload)) return done(null, payload);
    callbacks.set(reply.raw, dropReply);
    const snapshot = snapshotOf(reply, payload);
    const head = { status: reply.statusCode, headers: { ...reply.getHeaders() } };
    void beforeSending(snapshot, head.status)
      .then((other) => {
        if (other === DROPPED) return;
        callbacks.delete(reply.raw);
        if (other === undefined) {
          restoreHead(reply, head);
          done(null, payload);
        } else done(null, replaced(reply, other));
      })
      .catch((error: unknown) => endWithServerError(reply.raw, error));
  });
}

/** Called before the reply's next payload is sent. */
export function beforeReplying(reply: FastifyReply, beforeSending: BeforeSending): void {
  callbacks.set(reply.raw, beforeSending);
}

/** A second response is dropped while the first is held back. */
const DROPPED: ResponseSnapshot = { status: 0, headers: {}, body: Buffer.alloc(0) };
const dropReply: BeforeSending = async () => DROPPED;

function isSendable(reply: FastifyReply, payload: unknown): boolean {
  const isStream = typeof payload === 'object' && !(payload instanceof Uint8Array);
  const isPayload = payload === undefined || isChunk(payload) || isStream;
  return isPayload && canBegin(reply.raw, { status: reply.statusCode, headers: reply.getHeaders() });
}

function snapshotOf(reply: FastifyReply, payload: unknown): ResponseSnapshot | undefined {
  const isWhole = payload === undefined || payload === null || isChunk(payload);
  return isWhole ? responseSnapshot(reply.statusCode, reply.getHeaders(), payload) : undefined;
}

/** Restores the head, which a later response, such as that of an error, may have replaced. */
function restoreHead(reply: FastifyReply, { status, headers }: ResponseHead): void {
  for (const name of Object.keys(reply.getHeaders()))
    if (!(name in headers)) {
      reply.removeHeader(name);
      reply.raw.removeHeader(name);
    }
  setHead(reply, { status, headers });
}

/** The payload of another response, after setting its head. */
function replaced(reply: FastifyReply, { status, headers, body }: ResponseSnapshot): Buffer | null {
  reply.removeHeader('content-length');
  if (!('content-type' in headers)) reply.removeHeader('content-type');
  setHead(reply, { status, headers });
  return body.length === 0 ? null : body;
}

function setHead(
  reply: FastifyReply,
  { status, headers }: Pick<ResponseSnapshot, 'headers' | 'status'> | ResponseHead,
): void {
  reply.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    // Fastify appends cookies to existing ones.
    reply.removeHeader(name);
    if (value !== undefined) reply.header(name, value);
  }
}
