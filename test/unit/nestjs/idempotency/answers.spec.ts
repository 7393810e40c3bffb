import { Controller, Sse } from '@nestjs/common';
import { Bedrock } from 'bedrock-lock';
import { eventually } from 'bedrock-testkit';
import { BedrockService, Idempotent } from 'nestjs-bedrock';
import { EMPTY } from 'rxjs';
import { deferred, locksOf, startError, until } from '../app.js';
import { ADAPTERS, closeServers } from '../handlers/server.js';
import { kiosk, type KioskOptions } from './kiosk.js';

afterEach(closeServers);

/** Headers that each answer has of its own. */
const OWN = new Set([
  'date',
  'idempotent-replayed',
  'set-cookie',
  'x-request-number',
  'keep-alive',
  'connection',
]);

describe.each(ADAPTERS)('what @Idempotent() stores on %s', (name, adapter) => {
  const open = (options?: KioskOptions) => kiosk(adapter(), options);

  /** Asks twice; the second answer must be a replay that is the same but for what each answer has of its own. */
  const twice = async (path: string, options?: KioskOptions) => {
    const site = await open(options);
    const first = await site.ask(path);
    const again = await site.ask(path);
    const common = (headers: Record<string, string>) =>
      Object.entries(headers).filter(([field]) => !OWN.has(field));
    expect([again.status, again.text, common(again.headers)]).toEqual([
      first.status,
      first.text,
      common(first.headers),
    ]);
    expect([first.isReplay, again.isReplay, site.counts.runs]).toEqual([false, true, 1]);
    expect(site.log.complaints).toEqual([
      expect.stringContaining('has no scope') as unknown,
      ...site.log.complaints.slice(1).map(() => expect.stringContaining('has no scope') as unknown),
    ]);
    return { ...site, first, again };
  };

  it.each<[string, string, KioskOptions]>([
    ['of the method', 'card', {}],
    ['of the controller', 'cards', {}],
    ['of the application', 'bare-card', { everywhere: 'serializer' }],
  ])('is the answer of the serializer %s, without what it leaves out', async (_whose, path, options) => {
    const { again, backend, CARD } = await twice(path, options);
    expect(JSON.parse(again.text)).toEqual({ id: 1 });
    expect(JSON.stringify(backend.callsOf('records.complete'))).not.toContain(CARD);
  });

  it('is what an interceptor of the application makes of it, which sees no replay', async () => {
    const { again, counts } = await twice('list', { everywhere: 'interceptor' });
    expect(JSON.parse(again.text)).toEqual({ data: [1] });
    expect(counts.seen).toEqual([[1]]);
  });

  it('has the headers that were set, but for cookies and those of each request', async () => {
    const { again } = await twice('list');
    expect(again.headers).toMatchObject({ 'x-total': '17', 'cache-control': 'no-store' });
    expect(again.headers).not.toHaveProperty('set-cookie');
    expect(again.headers['x-request-number']).toBe('2');
  });

  it('has the headers that are chosen, and the type of the body', async () => {
    const { ask } = await open();
    const first = await ask('chosen');
    const again = await ask('chosen');
    expect(again.isReplay).toBe(true);
    expect([again.headers['x-total'], again.headers['x-other']]).toEqual(['17', undefined]);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
  });

  it('has the cookies that are chosen, in place of those that a hook sets', async () => {
    const { ask } = await open({
      prepare: (app) => {
        const cookie = (
          _request: unknown,
          response: {
            header?(name: string, value: string): void;
            setHeader?(name: string, value: string): void;
          },
          next: () => void,
        ) => {
          (response.header ?? response.setHeader)!.call(response, 'Set-Cookie', 'run=0');
          next();
        };
        if (name === 'Express') app.use(cookie);
        else {
          const fastify = app.getHttpAdapter().getInstance() as {
            addHook(name: 'preHandler', hook: typeof cookie): void;
          };
          fastify.addHook('preHandler', cookie);
        }
      },
    });
    const [first, again] = [await ask('cookie'), await ask('cookie')];
    expect([again.isReplay, again.cookies]).toEqual([true, first.cookies]);
  });

  it('is what left, with its head, though the handler fails after it', async () => {
    const { ask, counts } = await open();
    const [first, again] = [await ask('throws-later'), await ask('throws-later')];
    for (const { status, text, headers } of [first, again])
      expect([status, text, headers['x-total']]).toEqual([202, '{"run":1}', '17']);
    expect([again.isReplay, counts.runs]).toEqual([true, 1]);
  });

  it.each([
    ['text of a type', 'csv', 201, 'run;1\n'],
    ['what a body gives in another async context', 'queued', 201, '{"run":1,"more":[]}'],
    ['what a query gives that runs when it is awaited', 'lazy', 201, '{"run":1}'],
    ['the value of an Observable', 'observable', 201, '{"run":1}'],
    ['no content', 'nothing', 204, ''],
    ['an empty body', 'undefined', 201, ''],
    ['what a handler sends itself', 'by-itself', 202, '{"run":1}'],
    ['what it sends under a head of Node', 'head', 202, '{"run":1}'],
  ])('is %s', async (_what, path, status, text) => {
    const { again } = await twice(path);
    expect([again.status, again.text]).toEqual([status, text]);
  });

  it('is a redirect', async () => {
    const { again } = await twice('redirect');
    expect([again.status, again.headers['location']]).toEqual([303, '/receipts/1']);
  });

  it('is bytes as they are', async () => {
    const { again } = await twice('bytes');
    expect([...again.bytes]).toEqual([0, 255, 254, 1]);
  });

  it('is what a filter makes of an error that is none of HTTP, which sees no replay', async () => {
    const { again, counts } = await twice('poor', { everywhere: 'filter' });
    expect([again.status, again.text]).toEqual([402, '{"failed":"run 1"}']);
    expect(counts.errors).toHaveLength(1);
  });

  it('is given again without a word to a filter of the handler, which stands above @Idempotent()', async () => {
    const { counts } = await twice('guarded');
    expect(counts.errors).toEqual([]);
  });

  it.each([
    ['has a value where the handler has none', 'defaulted'],
    ['waits for a value of the handler', 'awaited'],
  ])('is given again past an outer interceptor that %s', async (_what, path) => {
    const { again } = await twice(path);
    expect(again.text).toBe('{"run":1}');
  });

  it('is the answer to an error that storeIf gets as the body threw it', async () => {
    const { ask, counts } = await open();
    expect([(await ask('poor-in-other-words')).status, counts.runs]).toEqual([409, 1]);
    expect([(await ask('poor-in-other-words')).isReplay, counts.runs]).toEqual([true, 1]);
  });

  it('is the error of an interceptor that comes after the body', async () => {
    const { again } = await twice('missing-later');
    expect(again.status).toBe(404);
  });

  it.each([
    ['an error of serialization', 'circle', 500],
    ['an error of the server that comes after the body', 'broken-later', 502],
  ])('is not %s, nor does the body run again', async (_what, path, status) => {
    const { ask, counts } = await open();
    expect((await ask(path)).status).toBe(status);
    const again = await ask(path);
    expect([again.status, JSON.parse(again.text)]).toMatchObject([409, { code: 'IDEMPOTENCY_RESULT' }]);
    expect(counts.runs).toBe(1);
  });

  it.each([
    ['', 'unavailable'],
    [' in a file', 'unavailable-file'],
    [' in parts', 'unavailable-parts'],
    [' in parts that come later', 'unavailable-later'],
  ])('is nothing where the body says that a retry may succeed%s', async (_how, path) => {
    const { ask } = await open();
    expect([(await ask(path)).text, (await ask(path)).text]).toEqual(['{"run":1}', '{"run":2}']);
  });

  it('is nothing where an Observable of the body fails', async () => {
    const { ask } = await open();
    const messages = [await ask('failing-observable'), await ask('failing-observable')].map(
      ({ text }) => (JSON.parse(text) as { message: string }).message,
    );
    expect(messages).toEqual(['run 1', 'run 2']);
  });

  it.each([
    ['', 'busy'],
    [', and an interceptor has another error for it', 'busy-in-other-words'],
  ])('is nothing where a lock of the method is busy%s', async (_how, path) => {
    const { app, ask, counts } = await open();
    const { open: release, opened } = deferred();
    const bedrock: Bedrock = app.get(BedrockService).bedrock();
    const held = bedrock.mutex('till').run(() => opened);
    await until(() => bedrock.stats().holds === 1);
    expect((await ask(path)).status).toBe(409);
    release();
    await held;
    expect([(await ask(path)).text, counts.runs]).toEqual(['{"run":1}', 1]);
  });

  it('is not the answer of a time limit; the body runs on, and not again', async () => {
    const { ask, counts } = await open();
    const { open: finish, opened } = deferred();
    counts.wait = opened;
    expect((await ask('slow')).status).toBe(408);
    const meanwhile = await ask('slow');
    expect(JSON.parse(meanwhile.text)).toMatchObject({ code: 'IDEMPOTENCY_IN_FLIGHT' });
    finish();
    await eventually('the end of the run', async () =>
      (await ask('slow')).text.includes('IDEMPOTENCY_RESULT'),
    );
    expect(counts.runs).toBe(1);
  });

  it.each([
    ['a file', 'file', Buffer.concat(Array.from({ length: 64 }, (_, at) => Buffer.alloc(65_536, at)))],
    ['parts', 'parts', Buffer.from('one, two, three')],
  ])('is not %s, which reaches the first client whole', async (_what, path, bytes) => {
    const { ask, backend, counts } = await open();
    backend.plan('records.complete', { kind: 'delay', requestMs: 100 });
    const first = await ask(path);
    expect(first.bytes.equals(bytes)).toBe(true);
    const again = await ask(path);
    expect([again.status, JSON.parse(again.text)]).toMatchObject([409, { code: 'IDEMPOTENCY_RESULT' }]);
    expect(counts.runs).toBe(1);
  });

  if (name === 'Fastify')
    it('is what its serializer makes of it', async () => {
      const { again } = await twice('card', {
        prepare: (app) => {
          const fastify = app.getHttpAdapter().getInstance() as {
            setReplySerializer(serialize: (payload: object) => string): void;
          };
          fastify.setReplySerializer((payload) => JSON.stringify({ masked: Object.keys(payload) }));
        },
      });
      expect(again.text).toBe('{"masked":["id"]}');
    });
});

it('@Idempotent() refuses the start for a handler that sends events', async () => {
  @Controller()
  class Events {
    @Sse('events')
    @Idempotent('events')
    events() {
      return Promise.resolve(EMPTY);
    }
  }
  const error = await startError({
    imports: [locksOf([], { idempotency: ['events'] })],
    controllers: [Events],
  });
  expect(error).toMatchObject({ code: 'INVALID_OPTION', field: 'idempotency' });
  expect(error.message).toMatch(
    /^Events\.events\(\): idempotency must be used on a handler whose response ends/,
  );
});
