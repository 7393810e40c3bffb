import 'reflect-metadata';
import {
  HttpException,
  Inject,
  Injectable,
  InternalServerErrorException,
  Logger,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  IdempotencyResultError,
  InvalidOptionError,
  type Idempotency,
  type IdempotentRequest,
  type ResultCodec,
} from 'bedrock-lock';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { defer, EMPTY, from, lastValueFrom, mergeAll, type Observable } from 'rxjs';
import { beforeReplying, isFastify, type FastifyReply } from '../responses/fastify.hook.js';
import { observeBody } from './handler.body.js';
import {
  snapshotOfStored,
  responseSnapshot,
  storedResponse,
  type ResponseSnapshot,
} from '../responses/response-snapshot.js';
import { keyInHeader, longKey, type BadRequest } from './idempotency-key.header.js';
import { IdempotentExchange } from './idempotent.exchange.js';
import { IDEMPOTENT_HANDLER, type IdempotentSpec } from '../options/idempotent-spec.js';
import type { IdempotentMethod } from './idempotent.method.js';
import { LockErrorMapper } from '../handlers/lock-error.mapper.js';
import { LockRegistry } from '../registry/lock.registry.js';
import { LOCK_REGISTRY, LOG_CONTEXT } from '../core/lock.constants.js';
import { PROBLEM_TYPE, problemException } from '../handlers/problem-details.js';
import { isRepeated, payloadOf, type HttpRequest } from './request.payload.js';
import { replayedResponses } from '../responses/replay.filter.js';
import { ResponseBuffer, sendSnapshot, type BeforeSending } from '../responses/response.buffer.js';
import { isWithoutLocks } from '../registry/test.mode.js';

/** Members of an Express response or Fastify reply that this package uses. */
interface HttpResponse {
  readonly raw?: ServerResponse;
  readonly statusCode: number;
  getHeaders(): OutgoingHttpHeaders;
  removeHeader(name: string): unknown;
}

/** A request with an idempotency key. */
interface KeyedRequest {
  readonly context: ExecutionContext;
  readonly spec: IdempotentSpec;
  readonly operation: string;
  readonly idempotency: Idempotency;
  readonly key: string;
  readonly next: CallHandler;
}

/** The library's rule for scopes. A header value may also contain tabs and bytes from 0x80 on. */
const SCOPE = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u;

/**
 * Runs HTTP handlers with `@Idempotent()` once per key, and replays their responses. It stores the response as sent:
 * after all interceptors, serializers and filters, before the first byte leaves.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  readonly #logger = new Logger(LOG_CONTEXT);
  /** Operations whose missing payload function was already logged. */
  readonly #withoutPayload = new Set<string>();

  /** @internal Nest creates it. */
  constructor(
    @Inject(LOCK_REGISTRY) private readonly registry: LockRegistry,
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
    @Inject(LockErrorMapper) private readonly errors: LockErrorMapper,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp().getRequest<HttpRequest>();
    if (context.getType() === 'http') observeBody(http, undefined);
    if (isWithoutLocks(this.registry)) return next.handle();
    const method = Reflect.getMetadata(IDEMPOTENT_HANDLER, context.getHandler()) as IdempotentMethod;
    const { spec } = method;
    if (context.getType() !== 'http')
      throw new InvalidOptionError('key', 'given on a method that is not an HTTP handler', undefined);
    const idempotency = this.registry.idempotency(spec.idempotency, spec.backend);
    const given = isRepeated(http, spec.header) ? [] : http.headers[spec.header];
    const key = keyInHeader(given, spec, idempotency.settings.maxKeyLength);
    if (key === undefined) return next.handle();
    if (typeof key !== 'string') throw this.#refusal(key, context);
    const operation = method.operationOn(context.getClass().prototype as object);
    return defer(() => this.#handle({ context, spec, operation, idempotency, key, next })).pipe(mergeAll());
  }

  async #handle(keyed: KeyedRequest): Promise<Observable<unknown>> {
    const { context, spec, next, idempotency } = keyed;
    const request = this.#requestOf(keyed);
    const response = context.switchToHttp().getResponse<HttpResponse>();
    const before = response.getHeaders();
    const exchange = new IdempotentExchange({
      raw: response.raw ?? (response as ServerResponse),
      status: () => response.statusCode,
      storeIf: spec.storeIf,
      graceMs: idempotency.settings.leaseMs,
      substitute: (error) => this.#substitute(error, context, before),
    });
    const replay = await this.#runOrReplay(exchange, { keyed, request, before }).catch((error: unknown) => {
      // The key, with its operation and scope, is too long for a resource name.
      const isKey = error instanceof InvalidOptionError && error.field === 'key';
      throw isKey ? this.#refusal(longKey(spec.header), context) : error;
    });
    if (replay !== undefined) {
      this.#replay(replay, response);
      return EMPTY;
    }
    // A time limit of an outer interceptor has already sent a response.
    if (this.adapters.httpAdapter.isHeadersSent(response)) {
      exchange.cancel();
      return EMPTY;
    }
    this.#bufferResponse(exchange, response);
    observeBody(context.switchToHttp().getRequest<HttpRequest>(), exchange);
    const handled = lastValueFrom<unknown, unknown>(next.handle(), { defaultValue: undefined });
    // Prevents an unhandled rejection after the subscriber has unsubscribed.
    handled.catch(() => undefined);
    return from(handled);
  }

  /** Resolves with undefined when the handler is to run, or with the response of the first run. */
  #runOrReplay(
    exchange: IdempotentExchange,
    {
      keyed: { spec, idempotency },
      request,
      before,
    }: {
      readonly keyed: KeyedRequest;
      readonly request: IdempotentRequest;
      readonly before: OutgoingHttpHeaders;
    },
  ): Promise<ResponseSnapshot | undefined> {
    const codec: ResultCodec<ResponseSnapshot | undefined> = {
      encode(snapshot) {
        if (snapshot === undefined) throw new TypeError('the response cannot be replayed');
        return storedResponse(snapshot, { before, names: spec.headers });
      },
      decode(stored) {
        const snapshot = snapshotOfStored(stored);
        if (snapshot === undefined) throw new IdempotencyResultError(idempotency.resource, 'unreadable');
        return snapshot;
      },
    };
    return new Promise((resolve, reject) => {
      const body = (): Promise<ResponseSnapshot | undefined> => {
        resolve(undefined);
        return exchange.begin();
      };
      const run = idempotency.run(request, body, codec);
      exchange.track(run);
      run.then(({ value }) => resolve(value), reject);
    });
  }

  /** Holds every byte back until the exchange has decided. */
  #bufferResponse(exchange: IdempotentExchange, response: HttpResponse): void {
    const beforeSending: BeforeSending = (snapshot, status) => exchange.beforeSending(snapshot, status);
    if (response.raw === undefined) {
      new ResponseBuffer(response as ServerResponse, beforeSending);
      return;
    }
    // Handlers may write to Node's response directly.
    const buffer = new ResponseBuffer(response.raw, beforeSending);
    beforeReplying(response as FastifyReply, async (snapshot, status) => {
      const other = await beforeSending(snapshot, status);
      buffer.passThrough();
      return other;
    });
  }

  /** Sends the snapshot directly, so that other interceptors cannot change it. */
  #replay(snapshot: ResponseSnapshot, response: HttpResponse): void {
    const raw = response.raw ?? (response as ServerResponse);
    replayedResponses.add(raw);
    const marked = { ...snapshot, headers: { ...snapshot.headers, 'idempotent-replayed': 'true' } };
    if (isFastify(this.adapters.httpAdapter)) {
      const reply = response as FastifyReply;
      beforeReplying(reply, async () => marked);
      reply.send(marked.body.length === 0 ? undefined : marked.body);
    } else sendSnapshot(raw, marked);
  }

  /** The response after a lost run. It keeps nothing of the handler's response. */
  async #substitute(
    error: unknown,
    context: ExecutionContext,
    before: OutgoingHttpHeaders,
  ): Promise<ResponseSnapshot> {
    const response = context.switchToHttp().getResponse<HttpResponse>();
    for (const name of Object.keys(response.getHeaders())) if (!(name in before)) response.removeHeader(name);
    const exception = await this.errors.map(error, context);
    if (exception instanceof HttpException) {
      const body = JSON.stringify(exception.getResponse());
      return responseSnapshot(exception.getStatus(), { 'content-type': PROBLEM_TYPE }, body);
    }
    this.#logger.error(error);
    const body = JSON.stringify({ statusCode: 500, message: 'Internal server error' });
    return responseSnapshot(500, { 'content-type': 'application/json; charset=utf-8' }, body);
  }

  #requestOf(keyed: KeyedRequest): IdempotentRequest {
    const { context, spec, operation, key } = keyed;
    const { payload: readPayload, waitMs } = spec;
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const scope = this.#scopeOf(keyed, request);
    const payload =
      readPayload === undefined ? this.#payloadOf(keyed, request) : readPayload(this, [request]);
    return {
      key,
      operation,
      payload,
      ...(scope !== undefined && { scope }),
      ...(waitMs !== undefined && { waitMs }),
    };
  }

  /** @throws HttpException: 415 if two different bodies under one key would look the same */
  #payloadOf({ context, operation }: KeyedRequest, request: HttpRequest): object {
    const payload = payloadOf(request);
    if (payload !== undefined) return payload;
    const advice = 'the body of the request has not been read yet; give @Idempotent() a payload function';
    if (!this.#withoutPayload.has(operation)) this.#logger.warn(`${operation}: ${advice}`);
    this.#withoutPayload.add(operation);
    const message = 'The body of the request cannot be compared with other requests';
    throw this.#refusal({ status: 415, code: 'IDEMPOTENCY_PAYLOAD_UNREAD', message }, context);
  }

  /** @throws HttpException: 400 if the request lacks the scope, 500 if the application's function returns none */
  #scopeOf({ spec, operation, context }: KeyedRequest, request: HttpRequest): string | number | undefined {
    const { scope, scopeHeader } = spec;
    if (scopeHeader !== undefined) {
      const given = request.headers[scopeHeader];
      if (typeof given === 'string' && SCOPE.test(given) && !isRepeated(request, scopeHeader)) return given;
      const message = `The header ${scopeHeader} must be given once, with 1 to 200 printable characters`;
      throw this.#refusal({ status: 400, code: 'IDEMPOTENCY_SCOPE_MISSING', message }, context);
    }
    if (scope === undefined) return undefined;
    const given = scope(this, [request]);
    if (given !== undefined && given !== null && given !== '') return given;
    // Not the URL: its query may hold a secret.
    this.#logger.error(`${operation}: the scope of @Idempotent() returned ${String(given)}`);
    throw new InternalServerErrorException();
  }

  #refusal(problem: BadRequest, context: ExecutionContext): HttpException {
    const response: unknown = context.switchToHttp().getResponse();
    return problemException(problem, { adapter: this.adapters.httpAdapter, response });
  }
}
