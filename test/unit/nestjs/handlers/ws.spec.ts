import { ExpressAdapter } from '@nestjs/platform-express';
import { bedrockOf, until } from '../app.js';
import { answer, gateway } from './gateway.js';
import { closeServers } from './server.js';
import { watching } from './shop.js';
import { IN_USE, SOON_MS, UNAVAILABLE, UNSAFE } from './troubles.js';

afterEach(closeServers);

describe('on a WebSocket gateway', () => {
  it.each([
    ['above', ['secret:free:a']],
    ['below', ['secret:free:a']],
    ['locked-observable', [[1, 'secret:free'], [2, 'secret:free']]], // prettier-ignore
  ])('@DistributedLock() works (%s)', async (event, answers) => {
    const { ask } = await gateway();
    expect(await ask(event, 'a', answers.length)).toEqual(answers.map(answer));
  });

  it.each([
    ['promise', [[2, 0]]],
    ['observable', [[2, 0], [2, 0]]], // prettier-ignore
  ])('a handler has a flow (%s)', async (event, answers) => {
    const { ask, bedrock } = await gateway();
    const leaks: unknown[] = [];
    bedrock.on('flow.leaked', (leak) => leaks.push(leak));
    expect(await ask(event, '', answers.length)).toEqual(answers.map(answer));
    expect(leaks).toEqual([]);
  });

  it('what a handler leaves locked is released, by its end or by the end of its client', async () => {
    const { ask, send, socket, bedrock } = await gateway();
    const leaks: unknown[] = [];
    bedrock.on('flow.leaked', (leak) => leaks.push(leak));
    await ask('left');
    expect(leaks).toMatchObject([{ resource: 'secret:free', depth: 1 }]);
    const { holds } = bedrock.stats();
    send('left-open');
    await until(() => bedrock.stats().holds === holds + 1);
    socket.terminate();
    await until(() => bedrock.stats().holds === holds);
    expect(leaks).toHaveLength(2);
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

  describe.each(['trouble', 'late-trouble'])('a handler that fails (%s)', (event) => {
    it.each(TABLE)('with %s sends %i', async (code, statusCode, message, retry) => {
      const { ask } = await gateway();
      const data = { status: 'error', statusCode, code, message, ...retry };
      expect(await ask(event, code)).toEqual([{ event: 'exception', data }]);
    });
  });

  it('only faults are logged', async () => {
    const { ask, log } = await gateway();
    await ask('trouble', 'LOCK_BUSY');
    expect(log.complaints).toEqual([]);
    await ask('trouble', 'LOCK_REVOKED', 2);
    expect(log.complaints).toEqual([
      expect.stringMatching(/^lock "secret:free" was revoked: its lease ends in \d+ ms$/),
      expect.objectContaining({ code: 'LOCK_REVOKED' }),
    ]);
  });

  it.each(['INVALID_OPTION', 'wrapped', 'own'])('other errors are left to Nest (%s)', async (name) => {
    const { ask } = await gateway();
    const [sent] = await ask('trouble', name);
    expect(sent?.data).toMatchObject({ status: 'error', message: 'Internal server error' });
  });

  it('statuses can be set, and the mapping turned off', async () => {
    const set = await gateway({ interceptor: { statuses: { LOCK_BUSY: 423 } } });
    expect((await set.ask('trouble', 'LOCK_BUSY'))[0]?.data).toMatchObject({ statusCode: 423 });
    const off = await gateway({ interceptor: { mapErrors: false } });
    expect((await off.ask('trouble', 'LOCK_BUSY'))[0]?.data).not.toHaveProperty('code');
  });

  it('a guard is answered for where LockExceptionFilter is named: gateways have no global filters', async () => {
    const { ask } = await gateway();
    const [plain] = await ask('guarded');
    expect(plain?.data).toMatchObject({ message: 'Internal server error' });
    const [, filtered] = await ask('guarded-with-filter', '', 2);
    expect(filtered).toMatchObject({ event: 'exception', data: { statusCode: 409, code: 'LOCK_BUSY' } });
  });

  it('the waits of a client that has disconnected end, with one listener for all of them', async () => {
    const { app, send, socket, gateway: handlers, bedrock, log } = await gateway();
    const [client] = handlers.clients;
    const listeners = client!.listenerCount('close');
    for (let i = 0; i < 20; i += 1) send('wait');
    await until(() => bedrock.stats().waiters === 20);
    await watching(new ExpressAdapter());
    expect(client!.listenerCount('close')).toBe(listeners + 1);
    socket.terminate();
    await until(() => bedrock.stats().waiters === 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await bedrockOf(app).lock('taken').inspect()).toHaveLength(1);
    expect([handlers.seen, log.complaints]).toEqual([[], []]);
  });

  it('a method that holds its lock goes on when its client has disconnected', async () => {
    const { send, socket, gateway: handlers, bedrock } = await gateway();
    send('hold');
    await handlers.begun.opened;
    socket.terminate();
    await until(() => handlers.departures === 1);
    const { holds } = bedrock.stats();
    handlers.work.open();
    await until(() => bedrock.stats().holds === holds - 1);
    expect(handlers.seen).toEqual([false]);
  });

  it.each(['background', 'background-later'])(
    'what a handler left running goes on when its client has disconnected (%s)',
    async (event) => {
      const { app, ask, socket, gateway: handlers, bedrock } = await gateway();
      await ask(event);
      await watching(new ExpressAdapter());
      socket.terminate();
      await until(() => handlers.departures === 1);
      handlers.work.open();
      await until(() => bedrock.stats().waiters === 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(bedrock.stats().waiters).toBe(1);
      await bedrockOf(app).lock('taken').forceRelease();
      await until(() => handlers.seen.length === 1);
    },
  );
});
