import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  HttpException,
  Injectable,
  InternalServerErrorException,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Res,
  StreamableFile,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Provider,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { BedrockLockModule, DistributedLock, Idempotent } from 'nestjs-bedrock';
import { of, type Observable } from 'rxjs';
import { once } from 'node:events';
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../handlers/server.js';

export interface Answering {
  status(code: number): unknown;
  header(name: string, value: string): unknown;
  send(body: unknown): unknown;
}

/** What the handlers did, and what they wait for. */
@Injectable()
class Till {
  runs = 0;
  cached: object | undefined;
  wait: Promise<unknown> = Promise.resolve();
}

/** In place of the handler while it has an answer. The lower decorator is the outer interceptor. */
@Injectable()
class CachingInterceptor implements NestInterceptor {
  constructor(private readonly till: Till) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return this.till.cached === undefined ? next.handle() : of(this.till.cached);
  }
}

@Controller()
class Payments {
  constructor(private readonly till: Till) {}

  @Post('payments')
  @Idempotent('payments')
  async pay(@Body() payment: { amount: number }, @Res({ passthrough: true }) answer: Answering) {
    this.till.runs += 1;
    await this.till.wait;
    answer.status(202);
    answer.header('Location', `/payments/${this.till.runs}`);
    answer.header('Set-Cookie', 'session=secret');
    return { id: this.till.runs, amount: payment.amount };
  }

  @Post('locked')
  @HttpCode(204)
  @Idempotent('payments')
  @DistributedLock('till')
  async locked() {
    this.till.runs += 1;
  }

  @Post('fails/:how')
  @Idempotent('payments')
  async fails(@Param('how') how: string) {
    this.till.runs += 1;
    if (how === 'client') throw new BadRequestException({ message: 'no such account', run: this.till.runs });
    if (how === 'server') throw new InternalServerErrorException(`run ${this.till.runs}`);
    throw new Error('broken');
  }

  @Post('gone')
  @Idempotent({
    idempotency: 'payments',
    storeIf: (error, status) => {
      if ((error as Error).message === 'broken') throw new Error('storeIf fails');
      return status === 410;
    },
  })
  async gone(@Body() { message, status }: { message: string; status: number }) {
    this.till.runs += 1;
    throw new HttpException({ message, run: this.till.runs }, status);
  }

  @Post('odd/:how')
  @Idempotent('payments')
  async odd(@Param('how') how: string, @Res({ passthrough: true }) answer: Answering) {
    this.till.runs += 1;
    if (how === 'file') return new StreamableFile(Buffer.from('bytes'));
    answer.send('past Nest');
    return undefined;
  }

  @Post('optional')
  @Idempotent({
    idempotency: 'payments',
    header: 'X-Request-Id',
    required: false,
    waitMs: 5_000,
    scope: (request: { headers: Record<string, string> }) => request.headers['x-tenant'],
    payload: (request: { body: { amount: number } }) => request.body.amount,
  })
  async optional() {
    const run = (this.till.runs += 1);
    await this.till.wait;
    return { run };
  }

  /** 404 from its body, 400 from its pipe. */
  @Post('accounts/:id')
  @Idempotent('payments')
  async account(@Param('id', ParseIntPipe) id: number) {
    throw new NotFoundException({ message: `no account ${id}`, run: (this.till.runs += 1) });
  }

  @Post('later')
  @Idempotent({ idempotency: 'payments', storeIf: () => true })
  async later(@Body() { status }: { status: number }) {
    throw new HttpException({ run: (this.till.runs += 1) }, status);
  }

  @Post('tenants')
  @Idempotent({ idempotency: 'payments', scope: { header: 'X-Tenant' } })
  async ofTenant() {
    return { run: (this.till.runs += 1) };
  }

  @Post('users')
  @Idempotent({ idempotency: 'payments', scope: (request: { user?: { id: string } }) => request.user?.id })
  async ofUser() {
    return { run: (this.till.runs += 1) };
  }

  @Post('cached-inside')
  @UseInterceptors(CachingInterceptor)
  @Idempotent('payments')
  async cachedInside() {
    return { run: (this.till.runs += 1) };
  }

  @Post('cached-outside')
  @Idempotent('payments')
  @UseInterceptors(CachingInterceptor)
  async cachedOutside() {
    return { run: (this.till.runs += 1) };
  }

  @Get('plain')
  plain() {
    return 'plain';
  }
}

/** The application on a backend that can fail, and what sends requests to it. */
export async function payments(adapter: AbstractHttpAdapter, ...providers: Provider[]) {
  const backend = new FaultyBackend(memory());
  const { app, url } = await listen(
    {
      imports: [
        BedrockLockModule.forRoot({
          backend: () => backend,
          locks: ['till'],
          idempotency: [{ name: 'payments', maxResultBytes: 2_000, maxKeyLength: 300 }],
          shutdownGraceMs: 0,
        }),
      ],
      controllers: [Payments],
      providers: [Till, ...providers],
    },
    { adapter },
  );
  const till = app.get(Till);
  const post = async (path: string, data: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(data),
    });
    const body = await response.text();
    return {
      status: response.status,
      body: (/^[{[]/.test(body) ? JSON.parse(body) : body) as { [field: string]: unknown },
      header: (field: string) => response.headers.get(field),
    };
  };
  const pay = (key: string, amount = 5, more: Record<string, string> = {}) =>
    post('payments', { amount }, { 'Idempotency-Key': key, ...more });
  /** With headers that fetch() does not send: repeated ones, control characters. */
  const sendRaw = async (path: string, headers: OutgoingHttpHeaders) => {
    const sent = request(`${url}/${path}`, { method: 'POST', headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, body: JSON.parse(await text(answer)) as unknown };
  };
  return { backend, till, post, pay, sendRaw };
}
