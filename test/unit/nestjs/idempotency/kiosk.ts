import {
  BadGatewayException,
  Body,
  Catch,
  ClassSerializerInterceptor,
  ConflictException,
  Controller,
  Header,
  HttpCode,
  HttpException,
  Injectable,
  NotFoundException,
  Post,
  Redirect,
  RequestTimeoutException,
  Res,
  StreamableFile,
  UseFilters,
  UseInterceptors,
  type ArgumentsHost,
  type CallHandler,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, HttpAdapterHost, type AbstractHttpAdapter } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { Exclude } from 'class-transformer';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { BedrockLockModule, DistributedLock, Idempotent } from 'nestjs-bedrock';
import {
  catchError,
  defaultIfEmpty,
  defer,
  lastValueFrom,
  map,
  mergeMap,
  of,
  throwError,
  timeout,
  Observable,
} from 'rxjs';
import { AsyncResource } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { listen } from '../handlers/server.js';

/** What the handlers of the kiosk did, and what they wait for. */
@Injectable()
export class Counts {
  runs = 0;
  /** Values that came past the interceptor of the whole application. */
  seen: unknown[] = [];
  /** Errors that came to the filter of the whole application. */
  errors: unknown[] = [];
  wait: Promise<unknown> = Promise.resolve();
  /** Numbers of requests, which a middleware gives. */
  requests = 0;
}

interface Answering {
  readonly raw?: Answering;
  status(code: number): unknown;
  writeHead(status: number, headers?: Readonly<Record<string, string>>): unknown;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
  write(part: string): unknown;
  end(part?: string): unknown;
}

class Card {
  constructor(
    readonly id: number,
    number: string,
  ) {
    this.number = number;
  }

  @Exclude()
  readonly number: string;
}

/** An error of the application, which knows nothing of HTTP. */
class NoMoney extends Error {}

@Catch()
class EverythingFilter implements ExceptionFilter {
  constructor(
    private readonly counts: Counts,
    private readonly adapters: HttpAdapterHost,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.counts.errors.push(error);
    const status = error instanceof HttpException ? error.getStatus() : error instanceof NoMoney ? 402 : 500;
    const response: unknown = host.switchToHttp().getResponse();
    this.adapters.httpAdapter.reply(response, { failed: (error as Error).message }, status);
  }
}

@Injectable()
class WrappingInterceptor implements NestInterceptor {
  constructor(private readonly counts: Counts) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      map((value: unknown) => {
        this.counts.seen.push(value);
        return { data: value };
      }),
    );
  }
}

/** Fails after the handler. */
function failing(error: () => Error): NestInterceptor {
  return { intercept: (_context, next) => next.handle().pipe(mergeMap(() => throwError(error))) };
}

/** Answers instead of a handler that takes its time. */
const impatient: NestInterceptor = {
  intercept: (_context, next) =>
    next
      .handle()
      .pipe(timeout({ first: 50, with: () => throwError(() => new RequestTimeoutException('too slow')) })),
};

/** Has errors of its own for those of the handler. */
const translating: NestInterceptor = {
  intercept: (_context, next) =>
    next.handle().pipe(catchError((error: Error) => throwError(() => new ConflictException(error.name)))),
};

const outside = new AsyncResource('a queue');

/** Calls the handler outside of the async context of its request. */
const queueing: NestInterceptor = {
  intercept: (_context, next) =>
    new Observable((subscriber) => outside.runInAsyncScope(() => next.handle().subscribe(subscriber))),
};

/** Has a value where the handler has none. */
const defaulting: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(defaultIfEmpty({ run: 'none' })),
};

/** Waits for the last value of the handler. */
const awaiting: NestInterceptor = {
  intercept: async (_context, next) => of(await lastValueFrom(next.handle())),
};

const CARD = '4929 1234 5678 9012';

@Controller()
class Kiosk {
  constructor(private readonly counts: Counts) {}

  @Post('card')
  @UseInterceptors(ClassSerializerInterceptor)
  @Idempotent('kiosk')
  async card() {
    return new Card((this.counts.runs += 1), CARD);
  }

  @Post('bare-card')
  @Idempotent('kiosk')
  async bareCard() {
    return new Card((this.counts.runs += 1), CARD);
  }

  @Post('guarded')
  @UseFilters(EverythingFilter)
  @Idempotent('kiosk')
  async guarded() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('defaulted')
  @Idempotent('kiosk')
  @UseInterceptors(defaulting)
  async defaulted() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('awaited')
  @Idempotent('kiosk')
  @UseInterceptors(awaiting)
  async awaited() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('list')
  @Idempotent('kiosk')
  async list(@Res({ passthrough: true }) answer: Answering) {
    answer.header('X-Total', '17');
    answer.header('Cache-Control', 'no-store');
    answer.header('Set-Cookie', 'session=secret');
    return [(this.counts.runs += 1)];
  }

  @Post('chosen')
  @Idempotent({ idempotency: 'kiosk', headers: ['X-Total'] })
  async chosen(@Res({ passthrough: true }) answer: Answering) {
    answer.header('X-Total', '17');
    answer.header('X-Other', '18');
    return [(this.counts.runs += 1)];
  }

  @Post('csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Idempotent('kiosk')
  async csv() {
    return `run;${(this.counts.runs += 1)}\n`;
  }

  @Post('bytes')
  @Idempotent('kiosk')
  async bytes(@Res() answer: Answering) {
    answer.header('Content-Type', 'application/octet-stream');
    answer.send(Buffer.from([0, 255, 254, (this.counts.runs += 1)]));
  }

  @Post('nothing')
  @HttpCode(204)
  @Idempotent('kiosk')
  async nothing() {
    this.counts.runs += 1;
  }

  @Post('undefined')
  @Idempotent('kiosk')
  async undefined() {
    this.counts.runs += 1;
  }

  @Post('redirect')
  @Redirect('/receipts', 303)
  @Idempotent('kiosk')
  async redirect() {
    return { url: `/receipts/${(this.counts.runs += 1)}` };
  }

  @Post('by-itself')
  @Idempotent('kiosk')
  async byItself(@Res() answer: Answering) {
    answer.status(202);
    answer.send({ run: (this.counts.runs += 1) });
    await this.counts.wait;
  }

  @Post('throws-later')
  @Idempotent('kiosk')
  async throwsLater(@Res() answer: Answering) {
    answer.status(202);
    answer.header('X-Total', '17');
    answer.send({ run: (this.counts.runs += 1) });
    throw new BadGatewayException('later');
  }

  @Post('cookie')
  @Idempotent({ idempotency: 'kiosk', headers: ['Set-Cookie'] })
  async cookie(@Res({ passthrough: true }) answer: Answering) {
    answer.header('Set-Cookie', `run=${(this.counts.runs += 1)}`);
    return 'a cookie';
  }

  @Post('circle')
  @Idempotent('kiosk')
  async circle() {
    const circle: { run: number; self?: unknown } = { run: (this.counts.runs += 1) };
    circle.self = circle;
    return circle;
  }

  @Post('broken-later')
  @UseInterceptors(failing(() => new BadGatewayException('later')))
  @Idempotent('kiosk')
  async brokenLater() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('missing-later')
  @UseInterceptors(failing(() => new NotFoundException('later')))
  @Idempotent('kiosk')
  async missingLater() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('unavailable')
  @Idempotent('kiosk')
  async unavailable(@Res({ passthrough: true }) answer: Answering) {
    answer.status(503);
    return { run: (this.counts.runs += 1) };
  }

  @Post('unavailable-file')
  @Idempotent('kiosk')
  async unavailableFile(@Res({ passthrough: true }) answer: Answering): Promise<unknown> {
    answer.status(503);
    return new StreamableFile(Readable.from([`{"run":${(this.counts.runs += 1)}}`]));
  }

  @Post('unavailable-parts')
  @Idempotent('kiosk')
  async unavailableParts(@Res() answer: Answering) {
    const raw = answer.raw ?? answer;
    raw.writeHead(429, { 'Retry-After': '1' });
    raw.write('{"run":');
    raw.end(`${(this.counts.runs += 1)}}`);
  }

  @Post('unavailable-later')
  @Idempotent('kiosk')
  async unavailableLater(@Res() answer: Answering) {
    const raw = answer.raw ?? answer;
    const run = (this.counts.runs += 1);
    raw.writeHead(503);
    setImmediate(() => {
      raw.write('{"run":');
      raw.end(`${run}}`);
    });
  }

  @Post('head')
  @Idempotent('kiosk')
  async head(@Res() answer: Answering) {
    const raw = answer.raw ?? answer;
    const body = `{"run":${(this.counts.runs += 1)}}`;
    raw.writeHead(202, { 'X-Total': '17', 'Content-Length': String(body.length) });
    raw.end(body);
  }

  @Post('poor')
  @Idempotent('kiosk')
  async poor() {
    throw new NoMoney(`run ${(this.counts.runs += 1)}`);
  }

  @Post('busy')
  @Idempotent('kiosk')
  @DistributedLock({ lock: 'till', waitMs: 0 })
  async busy() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('busy-in-other-words')
  @UseInterceptors(translating)
  @Idempotent('kiosk')
  @DistributedLock({ lock: 'till', waitMs: 0 })
  async busyInOtherWords() {
    return { run: (this.counts.runs += 1) };
  }

  @Post('poor-in-other-words')
  @UseInterceptors(translating)
  @Idempotent({ idempotency: 'kiosk', storeIf: (error) => error instanceof NoMoney })
  async poorInOtherWords() {
    throw new NoMoney(`run ${(this.counts.runs += 1)}`);
  }

  @Post('queued')
  @UseInterceptors(queueing)
  @Idempotent('kiosk')
  async queued(@Body() _body: unknown, ...more: unknown[]) {
    return { run: (this.counts.runs += 1), more };
  }

  @Post('lazy')
  @Idempotent('kiosk')
  lazy(): Promise<unknown> {
    const query: PromiseLike<unknown> = {
      then: (done, failed) => Promise.resolve({ run: (this.counts.runs += 1) }).then(done, failed),
    };
    return query as Promise<unknown>;
  }

  @Post('observable')
  @Idempotent('kiosk')
  async observable(): Promise<unknown> {
    return defer(() => of({ run: (this.counts.runs += 1) }));
  }

  @Post('failing-observable')
  @Idempotent('kiosk')
  async failingObservable(): Promise<unknown> {
    return defer(() => throwError(() => new BadGatewayException(`run ${(this.counts.runs += 1)}`)));
  }

  @Post('slow')
  @UseInterceptors(impatient)
  @Idempotent('kiosk')
  async slow() {
    const run = (this.counts.runs += 1);
    await this.counts.wait;
    return { run };
  }

  @Post('waits')
  @Idempotent('kiosk')
  async waits() {
    const run = (this.counts.runs += 1);
    await this.counts.wait;
    return { run };
  }

  @Post('file')
  @Idempotent('kiosk')
  async file(): Promise<unknown> {
    this.counts.runs += 1;
    const parts = Array.from({ length: 64 }, (_, at) => Buffer.alloc(65_536, at));
    return new StreamableFile(Readable.from(parts));
  }

  @Post('parts')
  @Idempotent('kiosk')
  async parts(@Res() answer: Answering) {
    this.counts.runs += 1;
    const raw = answer.raw ?? answer;
    raw.write('one, ');
    raw.write('two, ');
    raw.end('three');
  }
}

@Controller()
@UseInterceptors(ClassSerializerInterceptor)
class CardKiosk {
  constructor(private readonly counts: Counts) {}

  @Post('cards')
  @Idempotent('kiosk')
  async card() {
    return new Card((this.counts.runs += 1), CARD);
  }
}

export interface KioskOptions {
  /** The filter and the interceptor of the whole application. */
  readonly everywhere?: 'filter' | 'interceptor' | 'serializer';
  readonly leaseMs?: number;
  readonly prepare?: (app: INestApplication) => unknown;
}

/** An application whose answers are made by more than its handlers. */
export async function kiosk(adapter: AbstractHttpAdapter, options: KioskOptions = {}) {
  const backend = new FaultyBackend(memory());
  const everywhere =
    options.everywhere === 'filter'
      ? [{ provide: APP_FILTER, useClass: EverythingFilter }]
      : options.everywhere === 'interceptor'
        ? [{ provide: APP_INTERCEPTOR, useClass: WrappingInterceptor }]
        : options.everywhere === 'serializer'
          ? [{ provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor }]
          : [];
  const { app, url, log } = await listen(
    {
      imports: [
        BedrockLockModule.forRoot({
          backend: () => backend,
          locks: ['till'],
          idempotency: [{ name: 'kiosk', leaseMs: options.leaseMs ?? 30_000 }],
          shutdownGraceMs: 0,
        }),
      ],
      controllers: [Kiosk, CardKiosk],
      providers: [Counts, ...everywhere],
    },
    {
      adapter,
      prepare: async (made) => {
        const counts = made.get(Counts);
        made.use(
          (
            _request: unknown,
            response: { setHeader(name: string, value: string): void },
            next: () => void,
          ) => {
            response.setHeader('X-Request-Number', String((counts.requests += 1)));
            next();
          },
        );
        await options.prepare?.(made);
      },
    },
  );
  const counts = app.get(Counts);
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { 'Idempotency-Key': 'key' };
    const response = await fetch(`${url}/${path}`, { method: 'POST', headers, redirect: 'manual', ...init });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      bytes,
      text: bytes.toString(),
      headers: Object.fromEntries(response.headers),
      cookies: response.headers.getSetCookie(),
      isReplay: response.headers.get('idempotent-replayed') === 'true',
    };
  };
  return { app, url, backend, counts, ask, log, CARD };
}
