import 'reflect-metadata';
import {
  HttpException,
  HttpStatus,
  Inject,
  Injectable,
  InternalServerErrorException,
  Logger,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import { InvalidOptionError, type Idempotency, type IdempotentRequest, type ResultCodec } from 'bedrock-lock';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import { idempotencyOf } from './idempotency.registered.js';
import { badKey, keyInHeader, type BadKey } from './idempotency-key.header.js';
import { IDEMPOTENT_HANDLER } from './idempotent-spec.js';
import type { NamedSpec } from './idempotent.method.js';
import { watchingBegin } from './handler.begin.js';
import { LockRegistry } from './lock.registry.js';
import { LOCK_REGISTRY, LOG_CONTEXT } from './lock.tokens.js';
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

/** A request with a key. */
interface Asked {
  readonly spec: NamedSpec;
  readonly idempotency: Idempotency;
  readonly key: string;
  readonly request: HttpRequest;
  readonly response: object;
  readonly next: CallHandler;
}

/** An answer that did not come from the body of the handler. */
class Shortcut extends Error {
  constructor(readonly value: unknown) {
    super('the handler was not reached');
  }
}

/** Longest scope, in characters, as the library has it. */
const LONGEST_SCOPE = 200;
/** Below 500 too: a retry may succeed. */
const RETRYABLE: ReadonlySet<number> = new Set([
  HttpStatus.REQUEST_TIMEOUT,
  425, // Too Early
  HttpStatus.TOO_MANY_REQUESTS,
]);

/** Runs HTTP handlers with `@Idempotent()` once for each key, and gives their answers again. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  readonly #logger = new Logger(LOG_CONTEXT);

  /** @internal Nest makes it. */
  constructor(
    @Inject(LOCK_REGISTRY) private readonly registry: LockRegistry,
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const spec = Reflect.getMetadata(IDEMPOTENT_HANDLER, context.getHandler()) as NamedSpec;
    if (context.getType() !== 'http')
      throw new InvalidOptionError('key', 'given on a method that is no HTTP handler', undefined);
    const http = context.switchToHttp();
    const request = http.getRequest<HttpRequest>();
    const response = http.getResponse<object>();
    const idempotency = idempotencyOf(this.registry, spec);
    const key = keyInHeader(request.headers[spec.header], spec, idempotency.terms.maxKeyLength);
    if (key === undefined) return next.handle();
    if (typeof key !== 'string') throw this.#refusal(key, response);
    return defer(() => this.#answer({ spec, idempotency, key, request, response, next }));
  }

  #answer({ spec, idempotency, key, request, response, next }: Asked): Promise<unknown> {
    const { payload: readPayload, waitMs, operation } = spec;
    const scope = this.#scopeOf(spec, request, response);
    const payload =
      readPayload === undefined
        ? { method: request.method, url: request.originalUrl ?? request.url, body: request.body ?? null }
        : readPayload(this, [request]);
    const wanted: IdempotentRequest = {
      key,
      operation,
      payload,
      ...(scope !== undefined && { scope }),
      ...(waitMs !== undefined && { waitMs }),
    };
    return watchingBegin(async (hasBegun) => {
      const codec = new AnswerCodec({ spec, adapter: this.adapters.httpAdapter, response, hasBegun });
      const body = async (): Promise<unknown> => {
        const value = await lastValueFrom<unknown, unknown>(next.handle(), { defaultValue: undefined });
        // Something on the way has answered instead of the handler: the next request is to find the handler.
        if (!hasBegun()) throw new Shortcut(value);
        return value;
      };
      try {
        return (await idempotency.run(wanted, body, codec)).value;
      } catch (error) {
        if (error instanceof Shortcut) return error.value;
        // With its operation and its scope the key is too long for a name.
        const isKey = error instanceof InvalidOptionError && error.field === 'key' && !hasBegun();
        throw isKey ? this.#refusal(badKey(spec.header, idempotency.terms.maxKeyLength), response) : error;
      }
    });
  }

  /** @throws HttpException: 400 where the request lacks it, 500 where the application does */
  #scopeOf(spec: NamedSpec, request: HttpRequest, response: object): string | number | undefined {
    const { scope, scopeHeader, operation } = spec;
    if (scopeHeader !== undefined) {
      const given = request.headers[scopeHeader];
      if (typeof given === 'string' && given !== '' && given.length <= LONGEST_SCOPE) return given;
      const message = `The header ${scopeHeader} must be given once, with 1 to ${LONGEST_SCOPE} characters`;
      throw this.#refusal({ status: 400, code: 'IDEMPOTENCY_SCOPE_MISSING', message }, response);
    }
    if (scope === undefined) return undefined;
    const given = scope(this, [request]);
    if (given !== undefined && given !== null && given !== '') return given;
    // Not the URL: its query may hold a secret.
    this.#logger.error(`${operation}: the scope of @Idempotent() gave ${String(given)}`);
    throw new InternalServerErrorException();
  }

  #refusal(problem: BadKey, response: object): HttpException {
    return problemException(problem, { adapter: this.adapters.httpAdapter, response });
  }
}

/** What an answer is made of. */
interface AnswerSite {
  readonly spec: NamedSpec;
  readonly adapter: AbstractHttpAdapter;
  readonly response: object;
  readonly hasBegun: () => boolean;
}

/** What of an answer is stored, and how it comes back. */
class AnswerCodec implements ResultCodec<unknown> {
  constructor(private readonly site: AnswerSite) {}

  encode(body: unknown): StoredAnswer {
    const { adapter, response } = this.site;
    // What is written past Nest cannot be given again.
    if (body instanceof StreamableFile || adapter.isHeadersSent(response))
      throw new TypeError('no answer that can be stored');
    const { statusCode } = response as { readonly statusCode: number };
    return { status: statusCode, body, headers: this.#headers() };
  }

  decode(stored: unknown): unknown {
    const { status, body, headers } = stored as StoredAnswer;
    this.site.adapter.status(this.site.response, status);
    this.#repeat(headers);
    return body;
  }

  encodeError(error: unknown): StoredAnswer | undefined {
    const { hasBegun, spec } = this.site;
    if (!hasBegun() || !(error instanceof HttpException)) return undefined;
    const status = error.getStatus();
    if (status >= 500 || RETRYABLE.has(status) || spec.storeIf(error) !== true) return undefined;
    return { status, body: error.getResponse(), headers: this.#headers() };
  }

  decodeError(stored: unknown): HttpException {
    const { status, body, headers } = stored as StoredAnswer;
    this.#repeat(headers);
    return new HttpException(body as string | Record<string, unknown>, status);
  }

  #headers(): Readonly<Record<string, string>> {
    const { spec, adapter, response } = this.site;
    const set = spec.headers.map((name) => [name, adapter.getHeader(response, name) as unknown]);
    return Object.fromEntries(set.filter(([, value]) => typeof value === 'string')) as Record<string, string>;
  }

  #repeat(headers: StoredAnswer['headers']): void {
    const { adapter, response } = this.site;
    for (const [name, value] of Object.entries(headers)) adapter.setHeader(response, name, value);
    adapter.setHeader(response, 'Idempotent-Replayed', 'true');
  }
}
