import 'reflect-metadata';
import {
  HttpException,
  Inject,
  Injectable,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import { InvalidOptionError, type IdempotentRequest, type ResultCodec } from 'bedrock-lock';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { idempotencyOf } from './idempotency.registered.js';
import { keyInHeader } from './idempotency-key.header.js';
import { IDEMPOTENT_HANDLER, type IdempotentSpec } from './idempotent-spec.js';
import { LockRegistry } from './lock.registry.js';
import { LOCK_REGISTRY } from './lock.tokens.js';
import { problemException } from './problem.details.js';

/** The request of Express and of Fastify, as far as it is read. */
interface HttpRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly method: string;
  readonly url: string;
  readonly originalUrl?: string;
  readonly body?: unknown;
}

/** An answer as it is stored. */
interface StoredAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Runs HTTP handlers with `@Idempotent()` once for each key, and gives their answers again. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  /** @internal Nest makes it. */
  constructor(
    @Inject(LOCK_REGISTRY) private readonly registry: LockRegistry,
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const spec = Reflect.getMetadata(IDEMPOTENT_HANDLER, context.getHandler()) as IdempotentSpec;
    if (context.getType() !== 'http')
      throw new InvalidOptionError('key', 'given on a method that is no HTTP handler', undefined);
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const response = http.getResponse<object>();
    const key = keyInHeader(request.headers[spec.header], spec);
    if (key === undefined) return next.handle();
    if (typeof key !== 'string')
      throw problemException(key, { adapter: this.adapters.httpAdapter, response });
    return defer(() => this.#answer(spec, key, request, response, next));
  }

  async #answer(
    spec: IdempotentSpec,
    key: string,
    request: HttpRequest,
    response: object,
    next: CallHandler,
  ): Promise<unknown> {
    const codec = new AnswerCodec(spec, this.adapters.httpAdapter, response);
    const { scope: readScope, payload: readPayload, waitMs } = spec;
    const scope = readScope?.(this, [request]);
    const payload =
      readPayload === undefined
        ? { method: request.method, url: request.originalUrl ?? request.url, body: request.body ?? null }
        : readPayload(this, [request]);
    const wanted: IdempotentRequest = {
      key,
      payload,
      ...(scope !== undefined && { scope }),
      ...(waitMs !== undefined && { waitMs }),
    };
    const body = (): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });
    const { value } = await idempotencyOf(this.registry, spec).run(wanted, body, codec);
    return value;
  }
}

/** What of an answer is stored, and how it comes back. */
class AnswerCodec implements ResultCodec<unknown> {
  constructor(
    private readonly spec: IdempotentSpec,
    private readonly adapter: AbstractHttpAdapter,
    private readonly response: object,
  ) {}

  encode(body: unknown): StoredAnswer {
    // What is written past Nest cannot be given again.
    if (body instanceof StreamableFile || this.adapter.isHeadersSent(this.response))
      throw new TypeError('no answer that can be stored');
    const { statusCode } = this.response as { readonly statusCode: number };
    return { status: statusCode, body, headers: this.#headers() };
  }

  decode(stored: unknown): unknown {
    const { status, body, headers } = stored as StoredAnswer;
    this.adapter.status(this.response, status);
    this.#repeat(headers);
    return body;
  }

  encodeError(error: unknown): StoredAnswer | undefined {
    if (!(error instanceof HttpException) || this.spec.storeIf(error) !== true) return undefined;
    return { status: error.getStatus(), body: error.getResponse(), headers: this.#headers() };
  }

  decodeError(stored: unknown): HttpException {
    const { status, body, headers } = stored as StoredAnswer;
    this.#repeat(headers);
    return new HttpException(body as string | Record<string, unknown>, status);
  }

  #headers(): Readonly<Record<string, string>> {
    const set = this.spec.headers.map((name) => [
      name,
      this.adapter.getHeader(this.response, name) as unknown,
    ]);
    return Object.fromEntries(set.filter(([, value]) => typeof value === 'string')) as Record<string, string>;
  }

  #repeat(headers: StoredAnswer['headers']): void {
    for (const [name, value] of Object.entries(headers)) this.adapter.setHeader(this.response, name, value);
    this.adapter.setHeader(this.response, 'Idempotent-Replayed', 'true');
  }
}
