import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  type ModuleMetadata,
  type NestInterceptor,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { LockError, type Mutex } from 'bedrock-lock';
import { Flow, innermostFlow } from 'bedrock-lock/integration';
import { memory } from 'bedrock-lock/memory';
import {
  BedrockLockModule,
  type BedrockLockModuleOptions,
  DistributedLock,
  InjectLock,
  LockInterceptor,
  type LockInterceptorOptions,
} from 'nestjs-bedrock';
import type { ServerResponse } from 'node:http';
import { defer, mergeMap, Observable } from 'rxjs';
import { bedrockOf, errorOf, locksOf, startError } from '../app.js';
import { closeServers, listen } from './server.js';
import { type Parameter, tryAll } from '../../bad-input/bad-values.js';

afterEach(closeServers);

const answerWith = (host: ArgumentsHost, body: object) =>
  host.switchToHttp().getResponse<ServerResponse>().end(JSON.stringify(body));

@Catch(LockError)
class OfLockErrors implements ExceptionFilter {
  catch({ code, resource }: LockError, host: ArgumentsHost) {
    answerWith(host, { code, resource });
  }
}

@Catch(HttpException)
class OfHttpExceptions implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost) {
    const { code, resource } = exception.cause as LockError;
    answerWith(host, { status: exception.getStatus(), code, resource });
  }
}

/** Locks in its own flow, so that only a handler in the same flow can unlock. */
class Locking implements NestInterceptor {
  constructor(@InjectLock('stock') private readonly stock: Mutex) {}

  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    return defer(() => this.stock.lock()).pipe(mergeMap(() => next.handle()));
  }
}

@Controller()
class Handlers {
  constructor(@InjectLock('stock') private readonly stock: Mutex) {}

  async #flow() {
    await this.stock.lock();
    return { outcome: await this.stock.unlock() };
  }

  @Get('plain')
  plain() {
    return this.#flow();
  }

  @Get('by-hand')
  @UseInterceptors(LockInterceptor)
  byHand() {
    return this.#flow();
  }

  @Get('between')
  @UseInterceptors(Locking, LockInterceptor)
  async between() {
    return { outcome: await this.stock.unlock() };
  }

  @Get('lock-filter')
  @UseFilters(OfLockErrors)
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async lockFilter() {}

  @Get('http-filter')
  @UseFilters(OfHttpExceptions)
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async httpFilter() {}

  @Get('by-hand-and-streaming')
  @UseInterceptors(LockInterceptor)
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async *byHandAndStreaming() {}

  @Get('by-hand-and-busy')
  @UseInterceptors(LockInterceptor)
  @DistributedLock({ lock: 'taken', waitMs: 0 })
  async byHandAndBusy() {}
}

async function served(options: Partial<BedrockLockModuleOptions> = {}, metadata: ModuleMetadata = {}) {
  const imports = [locksOf(['stock', 'taken'], options)];
  const { app, url } = await listen({ imports, controllers: [Handlers], ...metadata });
  await bedrockOf(app).lock('taken').acquire();
  const get = async (path: string) => {
    const response = await fetch(`${url}/${path}`);
    return { status: response.status, body: (await response.json()) as object };
  };
  return { app, get };
}

const RELEASED = { status: 200, body: { outcome: 'released' } };
const REFUSED = { status: 500, body: { statusCode: 500, message: 'Internal server error' } };

describe('LockInterceptor', () => {
  it('is applied to every handler', async () => {
    const { get } = await served();
    expect(await get('plain')).toEqual(RELEASED);
  });

  it.each([false, { isGlobal: false }])(
    'is applied by hand alone with interceptor: %j',
    async (interceptor) => {
      const { get } = await served({ interceptor });
      expect(await get('plain')).toEqual(REFUSED);
      expect(await get('by-hand')).toEqual(RELEASED);
    },
  );

  it('keeps its options when it is applied by hand', async () => {
    const { get } = await served({ interceptor: { isGlobal: false, statuses: { LOCK_BUSY: 423 } } });
    const busy = { status: 423, body: { code: 'LOCK_BUSY' } };
    expect(await get('by-hand-and-busy')).toMatchObject(busy);
    expect(await get('by-hand-and-streaming')).toMatchObject(busy);
  });

  it('opens one flow where it is applied twice', async () => {
    const { get } = await served();
    expect(await get('by-hand')).toEqual(RELEASED);
    expect(await get('between')).toEqual(RELEASED);
  });

  it('takes its options from a factory too', async () => {
    const root = BedrockLockModule.forRootAsync({
      useFactory: () => ({
        backend: () => memory(),
        interceptor: { statuses: { LOCK_BUSY: 423 } },
        shutdownGraceMs: 0,
      }),
      locks: ['stock', 'taken'],
    });
    const { get } = await served({}, { imports: [root] });
    expect(await get('by-hand-and-busy')).toMatchObject({ status: 423 });
  });

  it('is applied to every handler also where the locks are not global', async () => {
    const { get } = await served({ isGlobal: false });
    expect(await get('plain')).toEqual(RELEASED);
    expect(await get('by-hand')).toEqual(RELEASED);
  });
});

describe('an exception filter of the application', () => {
  it('sees an HttpException whose cause is the lock error', async () => {
    const { get } = await served({ prefix: 'shop:' });
    expect((await get('http-filter')).body).toEqual({
      status: 409,
      code: 'LOCK_BUSY',
      resource: 'shop:taken',
    });
  });

  it('sees the lock error itself with mapErrors: false', async () => {
    const { get } = await served({ interceptor: { mapErrors: false } });
    expect((await get('lock-filter')).body).toEqual({ code: 'LOCK_BUSY', resource: 'taken' });
    expect(await get('plain')).toEqual(RELEASED);
  });

  it('sees no lock error of a handler otherwise', async () => {
    const { get } = await served();
    expect(await get('lock-filter')).toMatchObject({ status: 409, body: { code: 'LOCK_BUSY' } });
  });
});

const CODES = [
  'LOCK_BUSY', 'LOCK_WAIT_TIMEOUT', 'QUEUE_FULL', 'BACKEND_UNAVAILABLE', 'LOCK_CLOSED', 'LOCK_LOST', 'LOCK_REVOKED',
  'IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_RESULT', 'IDEMPOTENCY_LOST', 'INVALID_OPTION',
] as const; // prettier-ignore

function root(interceptor: unknown): unknown {
  return BedrockLockModule.forRoot({
    backend: () => memory(),
    interceptor: interceptor as LockInterceptorOptions,
  });
}

function option(
  name: string,
  good: readonly string[],
  field: Parameter['field'] = `interceptor.${name}`,
): Parameter {
  return { name, field, good: ['undefined', ...good], use: (value) => root({ [name]: value }) };
}

describe('a bad option of the interceptor is refused at once', () => {
  const parameters: Parameter[] = [
    { name: 'interceptor', field: /^interceptor/, good: ['undefined', 'true', 'an object'], use: root },
    option('isGlobal', ['true']),
    option('mapErrors', ['true']),
    option('abortOnDisconnect', ['true']),
    option('statuses', ['an object'], /^interceptor\.statuses/),
    ...CODES.map((code) => ({
      name: code,
      field: `interceptor.statuses.${code}`,
      good: ['undefined'],
      use: (value: unknown) => root({ statuses: { [code]: value } }),
    })),
  ];

  it.each(parameters.map((parameter) => [parameter.name, parameter] as const))(
    '%s',
    async (_name, parameter) => {
      expect(await tryAll(parameter)).toEqual([]);
    },
  );

  it.each([200, 302, 399, 600, 404.5])('a status that is no error: %p', (status) => {
    const error = errorOf(() => root({ statuses: { LOCK_BUSY: status } }));
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'interceptor.statuses.LOCK_BUSY' });
  });

  it.each([
    ['interceptor.enabled', { enabled: false }],
    ['interceptor.status', { status: {} }],
    ['interceptor.statuses.LOCK_BUSI', { statuses: { LOCK_BUSI: 423 } }],
    ['interceptor.statuses.LOCK_UNBOUND', { statuses: { LOCK_UNBOUND: 503 } }],
    ['interceptor.statuses.__proto__', { statuses: JSON.parse('{ "__proto__": 423 }') as object }],
  ])('unknown: %s', (field, interceptor) => {
    expect(errorOf(() => root(interceptor))).toMatchObject({ code: 'INVALID_OPTION', field });
  });

  it('from a factory: when the application starts', async () => {
    const useFactory = () => ({ backend: () => memory(), interceptor: { statuses: { LOCK_BUSY: 99 } } });
    const error = await startError({ imports: [BedrockLockModule.forRootAsync({ useFactory })] });
    expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'interceptor.statuses.LOCK_BUSY' });
  });
});

describe('a flow of a framework', () => {
  it('refuses anything but a function', async () => {
    const good = ['a function'];
    const parts = {
      name: 'part',
      field: 'part',
      good,
      use: (part: unknown) => new Flow().run(part as () => void),
    };
    const use = (isOfKind: unknown) => innermostFlow(isOfKind as (flow: Flow) => flow is Flow);
    const kinds = { name: 'isOfKind', field: 'isOfKind', good, use };
    expect([await tryAll(parts), await tryAll(kinds)]).toEqual([[], []]);
  });
});

describe('the options of the interceptor', () => {
  it('have types', () => {
    // @ts-expect-error no code of a lock error
    const code: LockInterceptorOptions = { statuses: { LOCK_BUSI: 423 } };
    // @ts-expect-error a mistake in the code, which no client should learn of
    const mistake: LockInterceptorOptions = { statuses: { LOCK_UNBOUND: 503 } };
    // @ts-expect-error a text
    const text: LockInterceptorOptions = { statuses: { LOCK_BUSY: '423' } };
    expect([code, mistake, text]).toHaveLength(3);
  });
});
