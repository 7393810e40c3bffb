import { Body, Controller, Get, Post, UseInterceptors } from '@nestjs/common';
import { ApiConsumes, ApiHeader, ApiResponse, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import {
  DistributedLock,
  Idempotent,
  LockInterceptor,
  type BedrockLockModuleOptions,
  type LockInterceptorOptions,
} from 'nestjs-bedrock';
import { documentLocks } from 'nestjs-bedrock/swagger';
import { closeAll, locksOf, serve, start } from '../app.js';

afterEach(closeAll);

const LOCKS = ['order'];
const STORES = ['payments', { name: 'careless', onUnavailable: 'run' as const }];

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly headers?: object; readonly content?: Record<string, unknown> }
    >
  >;
}

/** The document of an application with this controller, by path. */
async function documentOf(
  controller: new () => object,
  interceptor?: LockInterceptorOptions | false,
): Promise<Readonly<Record<string, Operation>>> {
  const options: Partial<BedrockLockModuleOptions> = {
    idempotency: STORES,
    ...(interceptor !== undefined && { interceptor }),
  };
  const app = await serve({ imports: [locksOf(LOCKS, options)], controllers: [controller] });
  documentLocks(app);
  const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [path, (item.get ?? item.post) as unknown as Operation]),
  );
}

const statusesOf = ({ responses }: Operation): readonly number[] =>
  Object.keys(responses)
    .map(Number)
    .filter((status) => status >= 400);

/** Codes that a response names in its description. */
const codesOf = ({ responses }: Operation, status: number): readonly string[] =>
  [...(responses[status]?.description ?? '').matchAll(/[A-Z]+_[A-Z_]+/g)].map(([code]) => code);

@Controller()
class Orders {
  @Get('free')
  async free() {}

  @DistributedLock({ lock: 'order', key: '{0.id}' })
  @Post('above')
  async above(@Body() _body: { id: number }) {}

  @Post('below')
  @DistributedLock({ lock: 'order', waitMs: 0, onLost: () => 'lost' })
  async below() {}

  @Post('fallback')
  @DistributedLock({ lock: 'order', onBusy: () => 'busy' })
  async fallback() {}

  @Post('paid')
  @Idempotent('payments')
  async paid() {}

  @Post('careless')
  @Idempotent({
    idempotency: 'careless',
    required: false,
    header: 'x-request-id',
    scope: { header: 'x-tenant' },
  })
  async careless() {}

  @Post('upload')
  @ApiConsumes('multipart/form-data')
  @Idempotent('payments')
  async upload() {}

  @Post('described')
  @ApiResponse({ status: 409, description: 'mine' })
  @ApiHeader({ name: 'idempotency-key', description: 'mine' })
  @Idempotent('payments')
  async described() {}

  async noHandler() {}
}

describe('the OpenAPI document of an application with locks', () => {
  it('describes nothing on a handler without a decorator', async () => {
    const { '/free': free } = await documentOf(Orders);
    expect(statusesOf(free!)).toEqual([]);
  });

  it('has the statuses of a lock, with what each means', async () => {
    const { '/above': above } = await documentOf(Orders);
    expect(statusesOf(above!)).toEqual([409, 500, 503]);
    expect(codesOf(above!, 409)).toEqual(['LOCK_BUSY', 'LOCK_WAIT_TIMEOUT']);
    expect(codesOf(above!, 500)).toEqual(['LOCK_LOST', 'LOCK_REVOKED']);
    expect(codesOf(above!, 503)).toEqual(['QUEUE_FULL', 'BACKEND_UNAVAILABLE', 'LOCK_CLOSED']);
    expect(above!.parameters).toEqual([]);
  });

  it('says how to retry, where a retry can help', async () => {
    const { '/above': above } = await documentOf(Orders);
    expect(above!.responses[409]?.headers).toMatchObject({ 'Retry-After': { schema: { type: 'integer' } } });
    expect(above!.responses[500]?.headers).toBeUndefined();
  });

  it('describes the body that clients get', async () => {
    const { '/above': above, '/paid': paid } = await documentOf(Orders);
    expect(above!.responses[409]?.content).toMatchObject({
      'application/json': {
        schema: {
          properties: { statusCode: { example: 409 }, code: { enum: ['LOCK_BUSY', 'LOCK_WAIT_TIMEOUT'] } },
          required: ['statusCode', 'error', 'message', 'code'],
        },
      },
    });
    expect(paid!.responses[422]?.content).toMatchObject({
      'application/problem+json': {
        schema: { properties: { status: { example: 422 }, code: { enum: ['IDEMPOTENCY_MISMATCH'] } } },
      },
    });
  });

  it('leaves out what a policy of the decorator answers instead', async () => {
    const { '/below': below, '/fallback': fallback } = await documentOf(Orders);
    expect(codesOf(below!, 409)).toEqual(['LOCK_BUSY']);
    expect(statusesOf(below!)).toEqual([409, 503]);
    expect(statusesOf(fallback!)).toEqual([500, 503]);
    expect(codesOf(fallback!, 503)).toEqual(['BACKEND_UNAVAILABLE', 'LOCK_CLOSED']);
  });

  it('has the header of a handler that runs once for each key, and its statuses', async () => {
    const { '/paid': paid } = await documentOf(Orders);
    expect(paid!.parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header', required: true }]);
    expect(statusesOf(paid!)).toEqual([400, 409, 422, 500, 503]);
    expect(codesOf(paid!, 400)).toEqual(['IDEMPOTENCY_KEY_MISSING', 'IDEMPOTENCY_KEY_BAD']);
    expect(codesOf(paid!, 409)).toEqual(['IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_RESULT']);
  });

  it('follows the options of the decorator and of the store', async () => {
    const { '/careless': careless } = await documentOf(Orders);
    expect(careless!.parameters).toMatchObject([
      { name: 'X-Request-Id', required: false },
      { name: 'X-Tenant', required: true },
    ]);
    expect(codesOf(careless!, 400)).toEqual(['IDEMPOTENCY_KEY_BAD', 'IDEMPOTENCY_SCOPE_MISSING']);
    expect(codesOf(careless!, 503)).toEqual(['LOCK_CLOSED']);
  });

  it('has 415 where a multipart body could not be compared', async () => {
    const { '/upload': upload, '/paid': paid } = await documentOf(Orders);
    expect(codesOf(upload!, 415)).toEqual(['IDEMPOTENCY_PAYLOAD_UNREAD']);
    expect(statusesOf(paid!)).not.toContain(415);
  });

  it('keeps what the application describes itself', async () => {
    const { '/described': described } = await documentOf(Orders);
    expect(described!.responses[409]?.description).toBe('mine');
    expect(described!.parameters).toMatchObject([{ name: 'idempotency-key', description: 'mine' }]);
    expect(statusesOf(described!)).toContain(422);
  });

  it('has the configured statuses, also after another application in the same process', async () => {
    await documentOf(Orders);
    const statuses = { LOCK_BUSY: 429, LOCK_WAIT_TIMEOUT: 429, INVALID_OPTION: 400 };
    const { '/above': above } = await documentOf(Orders, { statuses });
    expect(codesOf(above!, 429)).toEqual(['LOCK_BUSY', 'LOCK_WAIT_TIMEOUT']);
    expect(codesOf(above!, 400)).toEqual(['INVALID_OPTION']);
    expect(above!.parameters).toEqual([]);
  });

  it('has no status of a lock where this module maps no errors', async () => {
    for (const interceptor of [{ mapErrors: false }, false] as const) {
      @Controller()
      class Unmapped {
        @Post('locked')
        @DistributedLock('order')
        async locked() {}

        @Post('paid')
        @Idempotent('payments')
        async paid() {}
      }
      const { '/locked': locked, '/paid': paid } = await documentOf(Unmapped, interceptor);
      expect(statusesOf(locked!)).toEqual([]);
      expect(statusesOf(paid!)).toEqual([400]);
    }
  });

  it('has them where the interceptor is on the handler', async () => {
    @Controller()
    class Mapped {
      @UseInterceptors(LockInterceptor)
      @Post('locked')
      @DistributedLock('order')
      async locked() {}
    }
    const { '/locked': locked } = await documentOf(Mapped, false);
    expect(statusesOf(locked!)).toEqual([409, 500, 503]);
  });

  it('describes inherited handlers', async () => {
    abstract class Base {
      @Post('inherited')
      @DistributedLock('order')
      async inherited() {}
    }
    @Controller()
    class Derived extends Base {}
    const { '/inherited': inherited } = await documentOf(Derived);
    expect(statusesOf(inherited!)).toEqual([409, 500, 503]);
  });

  it('may be described twice', async () => {
    const app = await serve({
      imports: [locksOf(LOCKS, { idempotency: STORES })],
      controllers: [Orders],
    });
    documentLocks(app);
    documentLocks(app);
    const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    expect(paths['/paid']?.post?.parameters).toHaveLength(1);
  });

  it('cannot be described without BedrockLockModule', async () => {
    const app = await start({ controllers: [Orders] }).catch((error: Error) => error);
    if (app instanceof Error) expect(app.message).toMatch(/BedrockLockModule/);
    else expect(() => documentLocks(app)).toThrow(/BedrockLockModule/);
  });
});
