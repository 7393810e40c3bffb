import type { AbstractHttpAdapter } from '@nestjs/core';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { httpAnswer, type HttpAnswer } from './http.answer.js';
import { endWithFault } from './response.fault.js';
import type { BeforeSending } from './response.gate.js';
import { canBegin, isChunk, type Head } from './response.rehearsal.js';

/** The reply of Fastify, as far as it is used. */
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

/** What is asked before the answer of a response goes out: with its payload as it is after Fastify's serializer. */
const asked = new WeakMap<ServerResponse, BeforeSending>();
const hooked = new WeakSet<object>();

export function isFastify(adapter: AbstractHttpAdapter): boolean {
  return adapter.getType() === 'fastify';
}

/** Once per application, before it listens. */
export function hookIntoFastify(adapter: AbstractHttpAdapter): void {
  const instance = adapter.getInstance<FastifyInstance>();
  if (hooked.has(instance)) return;
  hooked.add(instance);
  instance.addHook('onSend', (_request, reply, payload, done) => {
    const beforeSending = asked.get(reply.raw);
    if (beforeSending === undefined) return done(null, payload);
    // Fastify is to fail at once, as it does without this hook, and not after the answer was stored.
    if (beforeSending !== dropped && !isSendable(reply, payload)) return done(null, payload);
    asked.set(reply.raw, dropped);
    const answer = answerOf(reply, payload);
    const head = { status: reply.statusCode, headers: { ...reply.getHeaders() } };
    void beforeSending(answer, head.status)
      .then((other) => {
        if (other === dropIt) return;
        asked.delete(reply.raw);
        if (other === undefined) {
          restoreHead(reply, head);
          done(null, payload);
        } else done(null, replaced(reply, other));
      })
      .catch((error: unknown) => endWithFault(reply.raw, error));
  });
}

/** The next answer to this response is asked about. */
export function beforeReplying(reply: FastifyReply, beforeSending: BeforeSending): void {
  asked.set(reply.raw, beforeSending);
}

/** A second answer, while the first one is held back, is none. */
const dropIt: HttpAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) };
const dropped: BeforeSending = async () => dropIt;

function isSendable(reply: FastifyReply, payload: unknown): boolean {
  const isStream = typeof payload === 'object' && !(payload instanceof Uint8Array);
  const isPayload = payload === undefined || isChunk(payload) || isStream;
  return isPayload && canBegin(reply.raw, { status: reply.statusCode, headers: reply.getHeaders() });
}

function answerOf(reply: FastifyReply, payload: unknown): HttpAnswer | undefined {
  const isWhole = payload === undefined || payload === null || isChunk(payload);
  return isWhole ? httpAnswer(reply.statusCode, reply.getHeaders(), payload) : undefined;
}

/** A later answer, such as that of an error, has set a head of its own. */
function restoreHead(reply: FastifyReply, { status, headers }: Head): void {
  for (const name of Object.keys(reply.getHeaders()))
    if (!(name in headers)) {
      reply.removeHeader(name);
      reply.raw.removeHeader(name);
    }
  setHead(reply, { status, headers });
}

/** The payload of another answer, whose head is set. */
function replaced(reply: FastifyReply, { status, headers, body }: HttpAnswer): Buffer | null {
  reply.removeHeader('content-length');
  if (!('content-type' in headers)) reply.removeHeader('content-type');
  setHead(reply, { status, headers });
  return body.length === 0 ? null : body;
}

function setHead(
  reply: FastifyReply,
  { status, headers }: Pick<HttpAnswer, 'headers' | 'status'> | Head,
): void {
  reply.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    // Fastify adds cookies to those that are there.
    reply.removeHeader(name);
    if (value !== undefined) reply.header(name, value);
  }
}
