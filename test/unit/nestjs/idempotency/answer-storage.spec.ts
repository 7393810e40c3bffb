import { eventually } from 'bedrock-testkit';
import { BedrockService } from 'nestjs-bedrock';
import { deferred, until } from '../app.js';
import { ADAPTERS, closeServers } from '../handlers/server.js';
import { kiosk, type KioskOptions } from './kiosk.js';

afterEach(closeServers);

describe.each(ADAPTERS)('the answer that @Idempotent() stores on %s', (_name, adapter) => {
  const open = (options?: KioskOptions) => kiosk(adapter(), options);

  it('is there before the first byte leaves', async () => {
    const { ask, backend } = await open();
    backend.plan('records.complete', { kind: 'delay', requestMs: 300 });
    let isAnswered = false;
    const asked = ask('list').then(() => (isAnswered = true));
    await until(() => backend.callsOf('records.complete').length === 1);
    expect(isAnswered).toBe(false);
    await asked;
  });

  it('is stored later where the store answers no completion for two time-outs', async () => {
    const { ask, backend, counts } = await open();
    backend.plan('records.complete', { kind: 'refuse' }, Infinity);
    expect(JSON.parse((await ask('list')).text)).toEqual([1]);
    const meanwhile = await ask('list');
    expect([meanwhile.status, JSON.parse(meanwhile.text)]).toMatchObject([
      409,
      { code: 'IDEMPOTENCY_IN_FLIGHT' },
    ]);
    backend.heal();
    await eventually('a replay', async () => (await ask('list')).isReplay);
    expect(counts.runs).toBe(1);
  });

  it('is lost where the store answers nothing until the lease has ended: the body runs again', async () => {
    const { ask, backend } = await open({ leaseMs: 100 });
    for (const verb of ['records.complete', 'records.renew'] as const)
      backend.plan(verb, { kind: 'refuse' }, Infinity);
    expect(JSON.parse((await ask('list')).text)).toEqual([1]);
    backend.heal();
    await eventually('a second run', async () => {
      const { status, text } = await ask('list');
      return status === 201 && text === '[2]';
    });
  });

  it('is not waited for after the connection has ended, whatever became of the request', async () => {
    const { ask, counts, app } = await open({ leaseMs: 1_000 });
    const { open: finish, opened } = deferred();
    counts.wait = opened;
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listen);
    const first = ask('waits');
    await until(() => counts.runs === 1);
    expect((await ask('waits')).status).toBe(409);
    finish();
    expect([(await first).status, (await ask('waits')).isReplay]).toEqual([201, true]);
    // Ends all connections.
    await app.close();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  it('is there for a client that has gone', async () => {
    const { ask, counts } = await open();
    const { open: finish, opened } = deferred();
    counts.wait = opened;
    const gone = new AbortController();
    const first = ask('waits', { signal: gone.signal }).catch((error: Error) => error.name);
    await until(() => counts.runs === 1);
    gone.abort();
    expect(await first).toBe('AbortError');
    finish();
    await eventually('a replay', async () => (await ask('waits')).isReplay);
    expect(counts.runs).toBe(1);
  });

  it('is all that a client gets whose record is lost: a problem, and nothing of the answer', async () => {
    const { app, ask, counts } = await open();
    const { open: finish, opened } = deferred();
    counts.wait = opened;
    const first = ask('waits');
    await until(() => counts.runs === 1);
    const kioskKeys = app.get(BedrockService).bedrock().idempotency('kiosk');
    await kioskKeys.forget('key', { operation: 'Kiosk.waits' });
    finish();
    const { status, text, headers } = await first;
    expect([status, JSON.parse(text)]).toMatchObject([500, { code: 'IDEMPOTENCY_LOST', status: 500 }]);
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  });
});
