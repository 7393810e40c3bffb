import { Controller, Get, Param, Sse, type MessageEvent } from '@nestjs/common';
import type { LockInterceptorOptions } from 'nestjs-bedrock';
import { concat, defer, from, of, timer, type Observable } from 'rxjs';
import { bedrockOf } from '../app.js';
import { ADAPTERS, closeServers, listen } from './server.js';
import { IN_USE, SOON, take, troubledLocks, Troubles, UNAVAILABLE, UNSAFE } from './troubles.js';

afterEach(closeServers);

@Controller()
class Handlers {
  constructor(private readonly troubles: Troubles) {}

  @Get('promise/:name')
  promise(@Param('name') name: string) {
    return this.troubles.raise(name);
  }

  @Get('observable/:name')
  observable(@Param('name') name: string) {
    return defer(() => this.troubles.raise(name));
  }

  @Get('generator/:name')
  async *generator(@Param('name') name: string) {
    yield await this.troubles.raise(name);
  }

  @Sse('events/:name')
  events(@Param('name') name: string): Observable<MessageEvent> {
    return from(this.troubles.raise(name) as Promise<MessageEvent>);
  }

  @Sse('begun/:name')
  begun(@Param('name') name: string): Observable<MessageEvent> {
    const failing = defer(() => this.troubles.raise(name) as Promise<MessageEvent>);
    return concat(
      of({ data: 'first' }),
      timer(20).pipe(() => failing),
    );
  }
}

describe.each(ADAPTERS)('on %s', (_name, adapter) => {
  async function troubled(interceptor?: boolean | LockInterceptorOptions) {
    const locks = troubledLocks(interceptor === undefined ? {} : { interceptor });
    const metadata = { imports: [locks], controllers: [Handlers], providers: [Troubles] };
    const served = await listen(metadata, { adapter: adapter() });
    await take(bedrockOf(served.app));
    return {
      ...served,
      async get(path: string) {
        const response = await fetch(`${served.url}/${path}`);
        const text = await response.text();
        const retryAfter = response.headers.get('retry-after');
        return { status: response.status, retryAfter, text, body: asJson(text) };
      },
    };
  }

  const IN_FLIGHT = 'The first request with this idempotency key is still in flight; try again later';
  const MISMATCH = 'The idempotency key was used for another request';
  const NO_RESULT = 'The request was completed before; its response cannot be repeated';
  const TABLE: [code: string, status: number, error: string, message: string, retryAfter: unknown][] = [
    ['LOCK_BUSY', 409, 'Conflict', IN_USE, SOON],
    ['LOCK_WAIT_TIMEOUT', 409, 'Conflict', IN_USE, SOON],
    ['QUEUE_FULL', 503, 'Service Unavailable', UNAVAILABLE, SOON],
    ['BACKEND_UNAVAILABLE', 503, 'Service Unavailable', UNAVAILABLE, SOON],
    ['LOCK_CLOSED', 503, 'Service Unavailable', UNAVAILABLE, SOON],
    ['LOCK_LOST', 500, 'Internal Server Error', UNSAFE, null],
    ['LOCK_REVOKED', 500, 'Internal Server Error', UNSAFE, null],
    ['IDEMPOTENCY_IN_FLIGHT', 409, 'Conflict', IN_FLIGHT, SOON],
    ['IDEMPOTENCY_MISMATCH', 422, 'Unprocessable Entity', MISMATCH, null],
    ['IDEMPOTENCY_RESULT', 409, 'Conflict', NO_RESULT, null],
    ['IDEMPOTENCY_LOST', 500, 'Internal Server Error', UNSAFE, null],
  ];

  describe.each(['promise', 'observable', 'generator', 'events'])('a %s that fails with', (shape) => {
    it.each(TABLE)('%s is answered with %i', async (code, statusCode, error, message, retryAfter) => {
      const { get } = await troubled();
      const answer = await get(`${shape}/${code}`);
      expect(answer.body).toEqual({ statusCode, error, message, code });
      expect(answer).toMatchObject({ status: statusCode, retryAfter });
    });
  });

  it.each(['LOCK_LOST', 'LOCK_REVOKED', 'IDEMPOTENCY_LOST', 'BACKEND_UNAVAILABLE'])(
    '%s is logged: something is broken',
    async (code) => {
      const { get, log } = await troubled();
      await get(`promise/${code}`);
      expect(log.complaints).toContainEqual(expect.objectContaining({ code }));
    },
  );

  it.each(['LOCK_BUSY', 'LOCK_WAIT_TIMEOUT', 'QUEUE_FULL', 'LOCK_CLOSED'])(
    '%s is not logged: it is load',
    async (code) => {
      const { get, log } = await troubled();
      await get(`promise/${code}`);
      expect(log.complaints).toEqual([]);
    },
  );

  it.each(['INVALID_OPTION', 'LOCK_SELF_DEADLOCK'])(
    '%s, a mistake in the code, is left to Nest',
    async (code) => {
      const { get, log } = await troubled();
      const answer = await get(`promise/${code}`);
      expect(answer.body).toEqual({ statusCode: 500, message: 'Internal server error' });
      expect(answer.retryAfter).toBeNull();
      expect(log.complaints).toEqual([expect.objectContaining({ code })]);
    },
  );

  it('errors of the application are not touched, whatever their cause', async () => {
    const { get } = await troubled();
    expect((await get('promise/wrapped')).body).toEqual({
      statusCode: 500,
      message: 'Internal server error',
    });
    expect((await get('promise/own')).body).toEqual({
      statusCode: 409,
      error: 'Conflict',
      message: 'of the application',
    });
  });

  it('events that have begun end with the message alone', async () => {
    const { get, log } = await troubled();
    const answer = await get('begun/LOCK_BUSY');
    expect(answer).toMatchObject({ status: 200, retryAfter: null });
    expect(answer.text.trim()).toBe(`id: 1\ndata: first\n\nevent: error\nid: 2\ndata: ${IN_USE}`);
    expect(log.complaints).toEqual([]);
  });

  it('statuses can be set', async () => {
    const { get } = await troubled({
      statuses: { LOCK_BUSY: 423, LOCK_LOST: 599, INVALID_OPTION: 400 },
    });
    expect(await get('promise/LOCK_BUSY')).toMatchObject({
      status: 423,
      retryAfter: SOON,
      body: { error: 'Locked' },
    });
    expect(await get('promise/LOCK_LOST')).toMatchObject({ status: 599, body: { error: 'Error' } });
    expect(await get('promise/INVALID_OPTION')).toMatchObject({ status: 400, retryAfter: null });
    expect(await get('promise/LOCK_CLOSED')).toMatchObject({ status: 503, retryAfter: SOON });
  });

  it.each([false, { isGlobal: false }, { mapErrors: false }])(
    'with %j nothing is mapped',
    async (interceptor) => {
      const { get, log } = await troubled(interceptor);
      const answer = await get('promise/LOCK_BUSY');
      expect(answer).toMatchObject({ status: 500, retryAfter: null });
      expect(log.complaints).toEqual([expect.objectContaining({ code: 'LOCK_BUSY' })]);
    },
  );
});

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
