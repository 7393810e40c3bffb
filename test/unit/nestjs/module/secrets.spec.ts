import { Body, Controller, Get, Injectable, Post, type LoggerService } from '@nestjs/common';
import { memory } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import { startRedis, type RunningServer } from 'bedrock-servers';
import { Redis } from 'ioredis';
import { DistributedLock, Idempotent, LockExceptionFilter } from 'nestjs-bedrock';
import { APP_FILTER } from '@nestjs/core';
import request from 'supertest';
import { MARK, SECRET, secretsIn } from '../../../support/marked-secret.js';
import { closeAll, locksOf, serve, startError } from '../app.js';
import { health } from '../health/health.js';

class KeptLog implements LoggerService {
  readonly lines: unknown[][] = [];
  log = (...line: unknown[]): void => void this.lines.push(line);
  warn = this.log;
  error = this.log;
  debug = this.log;
}

@Injectable()
class Orders {
  @DistributedLock({ lock: 'orders', failFast: true })
  async buy(): Promise<string> {
    return 'bought';
  }
}

@Controller('orders')
class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Get()
  buy() {
    return this.orders.buy();
  }
}

let server: RunningServer;

beforeAll(async () => {
  server = await startRedis();
  const admin = new Redis(server.port);
  await admin.config('SET', 'requirepass', MARK);
  admin.disconnect();
});
afterEach(closeAll);
afterAll(() => server.stop());

const backendOf = (operationTimeoutMs: number) => () =>
  redis({ url: `redis://:${MARK}@127.0.0.1:${server.port}`, operationTimeoutMs });

it('a password of the backend is in no answer, health check, log or error at the start', async () => {
  const app = await serve({
    ...health,
    imports: [...health.imports, locksOf(['orders'], { backend: backendOf(1_000) })],
    providers: [...health.providers, Orders, { provide: APP_FILTER, useClass: LockExceptionFilter }],
    controllers: [...health.controllers, OrdersController],
  });
  const log = new KeptLog();
  app.useLogger(log);
  const ask = async (path: string) => {
    const { status, text, headers } = await request(app.getHttpServer() as never).get(path);
    return { status, text, headers };
  };
  const before = [await ask('/orders'), await ask('/health')];
  expect(before.map(({ status }) => status)).toEqual([200, 200]);
  server.kill('SIGKILL');
  const after = [await ask('/orders'), await ask('/health')];
  expect(after.map(({ status }) => status)).toEqual([503, 503]);
  // A start waits for several of its time-outs.
  const error = await startError({ imports: [locksOf(['orders'], { backend: backendOf(200) })] });
  expect(secretsIn({ before, after, log: log.lines, error })).toEqual([]);
});

it('a key of idempotency is in no answer, log or error', async () => {
  @Controller('payments')
  class PaymentsController {
    @Post()
    @Idempotent('payments')
    async pay(@Body() { amount }: { amount: number }) {
      if (amount > 9) throw new Error('the bank does not answer');
      return { amount };
    }
  }
  const encryption = [{ id: 'k1', secret: SECRET }];
  const app = await serve({
    imports: [locksOf([], { backend: () => memory(), idempotency: [{ name: 'payments', encryption }] })],
    controllers: [PaymentsController],
  });
  const log = new KeptLog();
  app.useLogger(log);
  const pay = async (amount: number, key: string) => {
    const asked = request(app.getHttpServer() as never)
      .post('/payments')
      .set('Idempotency-Key', key);
    const { status, text, headers } = await asked.send({ amount });
    return { status, text, headers };
  };
  const answers = [await pay(1, 'a'), await pay(1, 'a'), await pay(2, 'a'), await pay(10, 'b')];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 422, 500]);
  expect(secretsIn({ answers, log: log.lines })).toEqual([]);
});
