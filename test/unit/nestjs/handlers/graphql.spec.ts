import { WebSocket } from 'ws';
import { bedrockOf, until } from '../app.js';
import { graphqlShop } from './graphql-shop.js';
import { closeServers } from './server.js';
import { IN_USE, SOON_MS, UNAVAILABLE, UNSAFE } from './troubles.js';

afterEach(closeServers);

describe('in GraphQL', () => {
  it.each(['above', 'below'])('@DistributedLock() works %s the decorator of a resolver', async (place) => {
    const { ask } = await graphqlShop();
    expect(await ask(`mutation { ${place}(id: "a:b") }`)).toEqual({ data: { [place]: 'secret:free:a%3Ab' } });
  });

  it.each(['promise', 'observable'])('a resolver has a flow (%s)', async (field) => {
    const { ask } = await graphqlShop();
    expect(await ask(`{ ${field} }`)).toEqual({ data: { [field]: [2, 0] } });
  });

  it('resolvers of fields have flows of their own', async () => {
    const { ask } = await graphqlShop();
    expect(await ask('{ shelves { name depths } }')).toEqual({
      data: {
        shelves: [
          { name: 'a', depths: [2, 0] },
          { name: 'b', depths: [2, 0] },
        ],
      },
    });
  });

  it('what a resolver leaves locked is released', async () => {
    const { ask, bedrock } = await graphqlShop();
    const leaks: unknown[] = [];
    bedrock.on('flow.leaked', (leak) => leaks.push(leak));
    await ask('mutation { left }');
    expect(leaks).toMatchObject([{ resource: 'secret:free', depth: 1 }]);
  });

  const TABLE: [code: string, status: number, message: string, retry: object][] = [
    ['LOCK_BUSY', 409, IN_USE, { retryAfterMs: SOON_MS }],
    ['LOCK_WAIT_TIMEOUT', 409, IN_USE, { retryAfterMs: SOON_MS }],
    ['QUEUE_FULL', 503, UNAVAILABLE, { retryAfterMs: SOON_MS }],
    ['BACKEND_UNAVAILABLE', 503, UNAVAILABLE, { retryAfterMs: SOON_MS }],
    ['LOCK_CLOSED', 503, UNAVAILABLE, { retryAfterMs: SOON_MS }],
    ['LOCK_LOST', 500, UNSAFE, {}],
    ['LOCK_REVOKED', 500, UNSAFE, {}],
  ];

  it.each(TABLE)('the extensions of an error tell %s and %i', async (code, status, message, retry) => {
    const { ask } = await graphqlShop();
    const { data, errors } = await ask(`{ trouble(name: "${code}") }`);
    expect(data).toEqual({ trouble: null });
    expect(errors).toEqual([expect.objectContaining({ message, extensions: { code, status, ...retry } })]);
  });

  it('guards and fields are answered for in the same way', async () => {
    const { ask, log } = await graphqlShop();
    const busy = { extensions: { code: 'LOCK_BUSY' } };
    expect(await ask('{ guarded }')).toMatchObject({ errors: [busy] });
    expect(await ask('{ shelves { trouble } }')).toMatchObject({ errors: [busy, busy] });
    expect(log.complaints).toEqual([]);
  });

  it('only faults are logged', async () => {
    const { ask, log } = await graphqlShop();
    await ask('{ trouble(name: "LOCK_LOST") }');
    expect(log.complaints).toEqual([
      'lock "secret:free" was lost after 5000 ms: expired',
      expect.objectContaining({ code: 'LOCK_LOST' }),
    ]);
  });

  it.each(['INVALID_OPTION', 'wrapped'])('other errors are left to Nest (%s)', async (name) => {
    const { ask } = await graphqlShop();
    const { errors } = await ask(`{ trouble(name: "${name}") }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  });

  it('statuses can be set, and the mapping turned off', async () => {
    const set = await graphqlShop({ interceptor: { statuses: { LOCK_BUSY: 423 } } });
    expect((await set.ask('{ trouble(name: "LOCK_BUSY") }')).errors?.[0]?.extensions).toMatchObject({
      status: 423,
    });
    const off = await graphqlShop({ interceptor: { mapErrors: false } });
    const { errors } = await off.ask('{ trouble(name: "LOCK_BUSY") }');
    expect(errors?.[0]?.extensions).not.toHaveProperty('status');
  });

  it('the wait of a client that has disconnected ends', async () => {
    const { app, call, bedrock, resolver, log } = await graphqlShop();
    const gone = call('mutation { wait }');
    await until(() => bedrock.stats().waiters === 1);
    gone.destroy();
    await until(() => bedrock.stats().waiters === 0);
    expect(await bedrockOf(app).lock('taken').inspect()).toHaveLength(1);
    expect([resolver.seen, log.complaints]).toEqual([[], []]);
  });

  it('a resolver that holds its lock goes on when its client has disconnected', async () => {
    const { url, call, bedrock, resolver } = await graphqlShop();
    const gone = call('mutation { hold }');
    await resolver.begun.opened;
    const closed = new Promise((resolve) => gone.once('close', resolve));
    gone.destroy();
    await closed;
    await fetch(`${url}/nowhere`);
    const { holds } = bedrock.stats();
    resolver.work.open();
    await until(() => bedrock.stats().holds === holds - 1);
    expect(resolver.seen).toEqual([false]);
  });

  it('a subscription has a flow as long as its generator runs, and locks work in it', async () => {
    const { port, bedrock } = await graphqlShop();
    const leaks: unknown[] = [];
    bedrock.on('flow.leaked', (leak) => leaks.push(leak));
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
    const values: unknown[] = [];
    const types: string[] = [];
    socket.on('message', (text: Buffer) => {
      const { type, payload } = JSON.parse(text.toString()) as { type: string; payload?: { data?: object } };
      if (type === 'next') values.push(payload);
      types.push(type);
    });
    const send = (message: object) => socket.send(JSON.stringify(message));
    await new Promise((resolve) => socket.once('open', resolve));
    const count = (wanted: string) => types.filter((type) => type === wanted).length;
    send({ type: 'connection_init' });
    await until(() => count('connection_ack') === 1);
    send({ id: '1', type: 'subscribe', payload: { query: 'subscription { ticks }' } });
    await until(() => count('complete') === 1);
    expect(values.splice(0)).toEqual([{ data: { ticks: [2, 0] } }, { data: { ticks: [1] } }]);
    expect(leaks).toMatchObject([{ resource: 'secret:free', depth: 1 }]);
    send({ id: '2', type: 'subscribe', payload: { query: 'subscription { lockedTicks }' } });
    await until(() => count('complete') === 2);
    const tick = { data: { lockedTicks: 'secret:free' } };
    expect(values).toEqual([tick, tick]);
    socket.terminate();
  });
});
