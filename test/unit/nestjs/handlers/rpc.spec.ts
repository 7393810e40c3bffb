import { GrpcMethod, type MicroserviceOptions, RpcException, Transport } from '@nestjs/microservices';
import { type Client, credentials, loadPackageDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Controller, type INestMicroservice } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DistributedLock } from 'nestjs-bedrock';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bedrockOf, locksOf, until } from '../app.js';
import { caller, hybrid, microservice } from './microservice.js';
import { closeServers, closing, log } from './server.js';
import { IN_USE, SOON_MS, UNAVAILABLE, UNSAFE } from './troubles.js';

afterEach(closeServers);

describe('on a microservice', () => {
  it.each([
    ['above', 'a:b', ['secret:free:a%3Ab']],
    ['below', 'a:b', ['secret:free:a%3Ab']],
    ['scoped', '', ['secret:free']],
    [
      'locked-observable',
      '',
      [
        [1, 'secret:free'],
        [2, 'secret:free'],
      ],
    ],
  ])('@DistributedLock() works (%s)', async (pattern, data, answer) => {
    const { send } = await microservice();
    expect(await send(pattern, data)).toEqual(answer);
  });

  it('@DistributedLock() works on the handler of an event', async () => {
    const { emit, journal } = await microservice();
    await emit('event', 'a');
    await until(() => journal.seen.length > 0);
    expect(journal.seen).toEqual(['secret:free:a']);
  });

  it.each([
    ['promise', [[2, 0]]],
    ['observable', [[2, 0], [2, 0]]], // prettier-ignore
  ])('a handler has a flow (%s)', async (pattern, answer) => {
    const { send, bedrock } = await microservice();
    const leaks: unknown[] = [];
    bedrock.on('flow.leaked', (leak) => leaks.push(leak));
    expect(await send(pattern)).toEqual(answer);
    expect(leaks).toEqual([]);
  });

  it('what a handler leaves locked is released', async () => {
    const { send, bedrock } = await microservice();
    const leaks: unknown[] = [];
    bedrock.on('flow.leaked', (leak) => leaks.push(leak));
    await send('left');
    expect(leaks).toMatchObject([{ resource: 'secret:free', depth: 1 }]);
  });

  const TABLE: [code: string, statusCode: number, message: string, retry: object][] = [
    ['LOCK_BUSY', 409, IN_USE, { retryAfterMs: SOON_MS }],
    ['LOCK_WAIT_TIMEOUT', 409, IN_USE, { retryAfterMs: SOON_MS }],
    ['QUEUE_FULL', 503, UNAVAILABLE, { retryAfterMs: SOON_MS }],
    ['BACKEND_UNAVAILABLE', 503, UNAVAILABLE, { retryAfterMs: SOON_MS }],
    ['LOCK_CLOSED', 503, UNAVAILABLE, { retryAfterMs: SOON_MS }],
    ['LOCK_LOST', 500, UNSAFE, {}],
    ['LOCK_REVOKED', 500, UNSAFE, {}],
  ];

  describe.each(['trouble', 'late-trouble'])('a handler that fails (%s)', (pattern) => {
    it.each(TABLE)('with %s answers %i', async (code, statusCode, message, retry) => {
      const { send } = await microservice();
      const error = { status: 'error', statusCode, code, message, ...retry };
      await expect(send(pattern, code)).rejects.toEqual(error);
    });
  });

  it('a guard is answered for in the same way', async () => {
    const { send, log } = await microservice();
    await expect(send('guarded')).rejects.toMatchObject({ statusCode: 409, code: 'LOCK_BUSY' });
    expect(log.complaints).toEqual([]);
  });

  it('only faults are logged', async () => {
    const { send, log } = await microservice();
    await send('trouble', 'LOCK_BUSY').catch(() => undefined);
    expect(log.complaints).toEqual([]);
    await send('trouble', 'LOCK_REVOKED').catch(() => undefined);
    expect(log.complaints).toEqual([
      expect.stringMatching(/^lock "secret:free" was revoked: its lease ends in \d+ ms$/),
      expect.objectContaining({ code: 'LOCK_REVOKED' }),
    ]);
  });

  it('an event that failed is logged, since no caller gets its answer', async () => {
    const { emit, log } = await microservice();
    await emit('event-of-trouble', 'LOCK_BUSY');
    await until(() => log.complaints.length > 0);
    const [exception] = log.complaints;
    expect(exception).toBeInstanceOf(RpcException);
    expect((exception as RpcException).cause).toMatchObject({ code: 'LOCK_BUSY', resource: 'secret:taken' });
  });

  it.each(['INVALID_OPTION', 'wrapped', 'own'])('other errors are left to Nest (%s)', async (name) => {
    const { send } = await microservice();
    await expect(send('trouble', name)).rejects.toEqual({
      status: 'error',
      message: 'Internal server error',
    });
  });

  it('statuses can be set, and the mapping turned off', async () => {
    const set = await microservice({
      interceptor: { statuses: { LOCK_BUSY: 423 } },
    });
    const busy = set.send('trouble', 'LOCK_BUSY');
    await expect(busy).rejects.toMatchObject({ statusCode: 423, retryAfterMs: SOON_MS });
    const off = await microservice({ interceptor: { mapErrors: false } });
    await expect(off.send('trouble', 'LOCK_BUSY')).rejects.not.toHaveProperty('code');
    expect(off.log.complaints).toEqual([expect.objectContaining({ code: 'LOCK_BUSY' })]);
  });

  it('the wait of a client that has disconnected ends', async () => {
    const { port, bedrock, journal, log, app } = await microservice();
    const leave = await caller(port, 'wait');
    await until(() => bedrock.stats().waiters === 1);
    await leave();
    await until(() => bedrock.stats().waiters === 0);
    expect(await bedrockOf(app).lock('taken').inspect()).toHaveLength(1);
    expect([journal.seen, log.complaints]).toEqual([[], []]);
  });

  it('a method that holds its lock goes on when its client has disconnected', async () => {
    const { port, send, bedrock, journal } = await microservice();
    const leave = await caller(port, 'hold');
    await journal.begun.opened;
    await leave();
    await expect(send('trouble', 'own')).rejects.toMatchObject({ message: 'Internal server error' });
    const { holds } = bedrock.stats();
    journal.work.open();
    await until(() => bedrock.stats().holds === holds - 1);
    expect(journal.seen).toEqual([false]);
  });
});

describe('on a microservice beside an HTTP server', () => {
  it('handlers are the same with inheritAppConfig', async () => {
    const { send } = await hybrid(true);
    expect(await send('below', 'a')).toEqual(['secret:free:a']);
    expect(await send('promise')).toEqual([[2, 0]]);
    await expect(send('trouble', 'LOCK_BUSY')).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    await expect(send('guarded')).rejects.toMatchObject({ code: 'LOCK_BUSY' });
  });

  it('without it they lock, but only an interceptor by hand gives them a flow and their errors', async () => {
    const { send, log } = await hybrid(false);
    expect(await send('below', 'a')).toEqual(['secret:free:a']);
    await expect(send('trouble', 'LOCK_BUSY')).rejects.not.toHaveProperty('code');
    expect(log.complaints).toEqual([expect.objectContaining({ code: 'LOCK_BUSY' })]);
    await expect(send('by-hand', 'LOCK_BUSY')).rejects.toMatchObject({ code: 'LOCK_BUSY' });
  });
});

const PROTO = fileURLToPath(new URL('shop.proto', import.meta.url));

@Controller()
class Handlers {
  runs = 0;

  @GrpcMethod('Shop', 'Busy')
  @DistributedLock({ lock: 'order', waitMs: 0 })
  async busy() {}

  @DistributedLock({ lock: 'order', waitMs: 60_000 })
  @GrpcMethod('Shop', 'Wait')
  async wait() {
    this.runs += 1;
    return {};
  }
}

type Call = (request: object, done: (error: ServiceError | null) => void) => { cancel(): void };
type Shop = Client & Record<'Busy' | 'Wait', Call>;

/** A port that was free a moment ago: the gRPC server of Nest does not tell which one it has chosen. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function shop() {
  const imports = [locksOf(['order'])];
  const module = await Test.createTestingModule({ imports, controllers: [Handlers] })
    .setLogger(log)
    .compile();
  const url = `127.0.0.1:${await freePort()}`;
  const options = { url, package: 'shop', protoPath: PROTO };
  const app: INestMicroservice = closing(
    module.createNestMicroservice<MicroserviceOptions>({ transport: Transport.GRPC, options, logger: log }),
  );
  await app.listen();
  const { shop } = loadPackageDefinition(loadSync(PROTO)) as unknown as {
    shop: { Shop: new (url: string, credentials: unknown) => Shop };
  };
  const client = new shop.Shop(url, credentials.createInsecure());
  closing({ close: async () => client.close() });
  return { client, handlers: app.get(Handlers), bedrock: bedrockOf(app) };
}

describe('on a gRPC service', () => {
  it('a lock error has the neutral message; codes of gRPC are for a filter to choose', async () => {
    const { client, bedrock } = await shop();
    await using _held = await bedrock.lock('order').acquire();
    const error = await new Promise<ServiceError | null>((resolve) => client.Busy({}, resolve));
    expect(error).toMatchObject({ code: status.UNKNOWN, details: IN_USE });
    expect(log.complaints).toEqual([]);
  });

  it('the wait of a call that was cancelled ends', async () => {
    const { client, handlers, bedrock } = await shop();
    await using _held = await bedrock.lock('order').acquire();
    const call = client.Wait({}, () => undefined);
    await until(() => bedrock.bedrock().stats().waiters === 1);
    call.cancel();
    await until(() => bedrock.bedrock().stats().waiters === 0);
    expect(handlers.runs).toBe(0);
  });
});
