import { jest } from '@jest/globals';
import { Logger, type ExceptionFilter } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { deferred, until } from '../app.js';
import { ADAPTERS, closeServers } from '../handlers/server.js';
import { SOON } from '../handlers/troubles.js';
import { payments, type Answering } from './payments.js';

afterEach(closeServers);

/** Bodies of RFC 9457. */
const PROBLEM = /^application\/problem\+json/;

describe.each(ADAPTERS)('@Idempotent() on %s', (_name, adapter) => {
  const shop = () => payments(adapter());

  it('gives status, body and headers again, and says so', async () => {
    const { pay, till } = await shop();
    const first = await pay('"8e03978e-40d5"');
    expect(first).toMatchObject({ status: 202, body: { id: 1, amount: 5 } });
    expect([first.header('location'), first.header('idempotent-replayed')]).toEqual(['/payments/1', null]);
    // The key as a structured field, and bare.
    for (const key of ['"8e03978e-40d5"', '8e03978e-40d5']) {
      const again = await pay(key);
      expect(again).toMatchObject({ status: 202, body: { id: 1, amount: 5 } });
      expect([again.header('location'), again.header('idempotent-replayed')]).toEqual([
        '/payments/1',
        'true',
      ]);
      expect(again.header('set-cookie')).toBeNull();
    }
    expect(till.runs).toBe(1);
  });

  it('asks the store twice for a first request, and once for a repeated one', async () => {
    const { pay, backend } = await shop();
    await pay('key');
    expect(backend.calls).toHaveLength(2);
    await pay('key');
    expect(backend.calls).toHaveLength(3);
  });

  it.each([
    ['missing', undefined, 'IDEMPOTENCY_KEY_MISSING'],
    ['empty', '', 'IDEMPOTENCY_KEY_BAD'],
    ['empty in quotes', '""', 'IDEMPOTENCY_KEY_BAD'],
    ['open in its quotes', '"abc', 'IDEMPOTENCY_KEY_BAD'],
    ['two', 'a, b', 'IDEMPOTENCY_KEY_BAD'],
    ['too long', 'k'.repeat(301), 'IDEMPOTENCY_KEY_BAD'],
    ['too long with what it stands for', '%'.repeat(300), 'IDEMPOTENCY_KEY_BAD'],
    ['no printable text', 'sch\u00f6n', 'IDEMPOTENCY_KEY_BAD'],
  ])('refuses a key that is %s with 400, before the handler', async (_, key, code) => {
    const { post, till } = await shop();
    const answer = await post('payments', { amount: 5 }, key === undefined ? {} : { 'Idempotency-Key': key });
    expect(answer).toMatchObject({ status: 400, body: { status: 400, title: 'Bad Request', code } });
    expect(answer.header('content-type')).toMatch(PROBLEM);
    expect(till.runs).toBe(0);
  });

  it('says what makes a key too long that has a permitted length', async () => {
    const { post } = await shop();
    const refused = await post('payments', { amount: 5 }, { 'Idempotency-Key': '%'.repeat(300) });
    expect(refused.body['detail']).toContain('%, {, } and : count three times');
    const short = await post('payments', { amount: 5 }, { 'Idempotency-Key': 'k'.repeat(301) });
    expect(short.body['detail']).toContain('1 to 300 printable characters');
  });

  it('leaves the type of a refusal to a filter of the application', async () => {
    const filter: ExceptionFilter = {
      catch(_exception, host) {
        const answer = host.switchToHttp().getResponse<Answering>();
        answer.status(418);
        answer.header('Content-Type', 'text/plain');
        answer.send('in words of my own');
      },
    };
    const { post } = await payments(adapter(), { provide: APP_FILTER, useValue: filter });
    const answer = await post('payments', { amount: 5 });
    expect([answer.status, answer.body]).toEqual([418, 'in words of my own']);
    expect(answer.header('content-type')).toMatch(/^text\/plain/);
  });

  it('refuses another request under a used key with 422', async () => {
    const { pay, till } = await shop();
    await pay('key', 5);
    const other = await pay('key', 6);
    expect(other.status).toBe(422);
    expect(other.header('content-type')).toMatch(PROBLEM);
    expect(other.body).toEqual({
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'The idempotency key was used for another request',
      code: 'IDEMPOTENCY_MISMATCH',
    });
    expect(till.runs).toBe(1);
  });

  it('takes the same key of another operation for another key', async () => {
    const { pay, post, till } = await shop();
    await pay('key', 5);
    expect((await post('locked', { amount: 5 }, { 'Idempotency-Key': 'key' })).status).toBe(204);
    expect(till.runs).toBe(2);
  });

  it('leaves a key free where a pipe refuses, and gives again what the body throws', async () => {
    const { post } = await shop();
    const ask = async (id: string) => {
      const answer = await post(`accounts/${id}`, {}, { 'Idempotency-Key': 'key' });
      return [answer.status, answer.body['run'], answer.header('idempotent-replayed')];
    };
    expect(await ask('none')).toEqual([400, undefined, null]);
    expect(await ask('7')).toEqual([404, 1, null]);
    expect(await ask('7')).toEqual([404, 1, 'true']);
  });

  it.each([408, 425, 429, 500, 503])('never stores a %i, whatever storeIf says', async (status) => {
    const { post } = await shop();
    const ask = () => post('later', { status }, { 'Idempotency-Key': 'key' });
    expect([(await ask()).body, (await ask()).body]).toEqual([{ run: 1 }, { run: 2 }]);
  });

  it.each([
    ['inside of @Idempotent()', 'cached-inside', 2],
    ['outside of it', 'cached-outside', 0],
  ])('stores no answer of an interceptor in place of the handler, %s', async (_where, path, calls) => {
    const { post, till, backend } = await shop();
    const ask = () => post(path, {}, { 'Idempotency-Key': 'key' });
    till.cached = { run: 'cached' };
    expect((await ask()).body).toEqual({ run: 'cached' });
    expect([backend.calls.length, backend.callsOf('records.complete').length]).toEqual([calls, 0]);
    till.cached = undefined;
    expect([(await ask()).body, (await ask()).body]).toEqual([{ run: 1 }, { run: 1 }]);
  });

  it('refuses a request without the header that has its scope: 400', async () => {
    const { post, till } = await shop();
    const ask = (more: object) => post('tenants', {}, { 'Idempotency-Key': 'key', ...more });
    const refused = await ask({});
    expect(refused).toMatchObject({ status: 400, body: { code: 'IDEMPOTENCY_SCOPE_MISSING' } });
    expect(refused.header('content-type')).toMatch(PROBLEM);
    expect((await ask({ 'X-Tenant': 't'.repeat(201) })).status).toBe(400);
    expect(till.runs).toBe(0);
    const runs = [
      await ask({ 'X-Tenant': 'a' }),
      await ask({ 'X-Tenant': 'b' }),
      await ask({ 'X-Tenant': 'a' }),
    ];
    expect(runs.map(({ body }) => body['run'])).toEqual([1, 2, 1]);
  });

  it.each([
    ['has a tab', { 'X-Tenant': 'a\tb' }],
    ['has a control character', { 'X-Tenant': 'a\u0085b' }],
    ['is given twice', { 'X-Tenant': ['a', 'b'] }],
    ['is empty', { 'X-Tenant': '' }],
  ])('refuses a scope in a header that %s: 400', async (_how, headers) => {
    const { sendRaw, till } = await shop();
    expect(await sendRaw('tenants', { 'Idempotency-Key': 'key', ...headers })).toMatchObject({
      status: 400,
      body: { code: 'IDEMPOTENCY_SCOPE_MISSING' },
    });
    expect(till.runs).toBe(0);
  });

  it.each([
    ['bare', ['a', 'b']],
    ['the halves of a quoted one', ['"a', 'b"']],
  ])('refuses two keys, %s: 400', async (_how, keys) => {
    const { sendRaw, till } = await shop();
    const answer = await sendRaw('payments', { 'Idempotency-Key': keys });
    expect(answer).toMatchObject({ status: 400, body: { code: 'IDEMPOTENCY_KEY_BAD' } });
    expect(till.runs).toBe(0);
  });

  it('is a fault of the server where its scope gives nothing: 500 with a line in the log', async () => {
    const { post, till } = await shop();
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const answer = await post('users', {}, { 'Idempotency-Key': 'key' });
    expect([answer.status, till.runs]).toEqual([500, 0]);
    expect(logged.mock.calls.map(([line]) => String(line))).toEqual([
      'Payments.ofUser: the scope of @Idempotent() returned undefined',
    ]);
    logged.mockRestore();
  });

  it('answers 409 with Retry-After while the first request is in flight', async () => {
    const { pay, till } = await shop();
    const { open, opened } = deferred();
    till.wait = opened;
    const first = pay('key');
    await until(() => till.runs === 1);
    const second = await pay('key');
    expect(second).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_FLIGHT' } });
    expect(second.header('retry-after')).toEqual(SOON);
    expect(second.header('content-type')).toMatch(PROBLEM);
    open();
    expect((await first).status).toBe(202);
    expect((await pay('key')).header('idempotent-replayed')).toBe('true');
  });

  it('waits for the first request where configured to, in scopes of their own', async () => {
    const { post, till } = await shop();
    const { open, opened } = deferred();
    till.wait = opened;
    const ask = (tenant: string) =>
      post('optional', { amount: 1 }, { 'X-Request-Id': 'key', 'X-Tenant': tenant });
    const asked = [ask('a'), ask('a'), ask('b')];
    await until(() => till.runs === 2);
    open();
    const answers = await Promise.all(asked);
    expect(answers[0]!.body).toEqual(answers[1]!.body);
    expect(answers[2]!.body).not.toEqual(answers[0]!.body);
    expect(till.runs).toBe(2);
    // The payload is what the option says: another field changes nothing, another amount does.
    const noted = await post(
      'optional',
      { amount: 1, note: 'x' },
      { 'X-Request-Id': 'key', 'X-Tenant': 'a' },
    );
    expect(noted.header('idempotent-replayed')).toBe('true');
    expect((await post('optional', { amount: 2 }, { 'X-Request-Id': 'key', 'X-Tenant': 'a' })).status).toBe(
      422,
    );
  });

  it('runs what brings no key where none is required', async () => {
    const { post, till } = await shop();
    for (const run of [1, 2]) expect((await post('optional', { amount: 1 })).body).toEqual({ run });
    expect(till.runs).toBe(2);
  });

  it('gives client errors again, and runs again after those of the server', async () => {
    const { post, till } = await shop();
    const fail = (how: string) => post(`fails/${how}`, {}, { 'Idempotency-Key': how });
    const first = await fail('client');
    const again = await fail('client');
    expect([first.status, first.body]).toEqual([400, { message: 'no such account', run: 1 }]);
    expect([again.status, again.body, again.header('idempotent-replayed')]).toEqual([
      400,
      first.body,
      'true',
    ]);
    expect((await fail('server')).status).toBe(500);
    expect((await fail('server')).body).toMatchObject({ message: 'run 3' });
    expect([(await fail('broken')).status, (await fail('broken')).status]).toEqual([500, 500]);
    expect(till.runs).toBe(5);
  });

  it('stores the exceptions that storeIf picks; one that fails picks nothing and blocks nothing', async () => {
    const { post, till } = await shop();
    const ask = async (status: number, message: string) => {
      const { body } = await post('gone', { status, message }, { 'Idempotency-Key': message });
      return body['run'];
    };
    expect([await ask(410, 'picked'), await ask(410, 'picked')]).toEqual([1, 1]);
    expect([await ask(404, 'not'), await ask(404, 'not')]).toEqual([2, 3]);
    expect([await ask(410, 'broken'), await ask(410, 'broken')]).toEqual([4, 5]);
    expect(till.runs).toBe(5);
  });

  it('holds the locks of the method within, and none for a repetition', async () => {
    const { post, till, backend } = await shop();
    const lock = () => post('locked', {}, { 'Idempotency-Key': 'key' });
    expect((await lock()).status).toBe(204);
    const claims = backend.callsOf('claim').length;
    const again = await lock();
    expect([again.status, again.header('idempotent-replayed')]).toEqual([204, 'true']);
    expect([claims, backend.callsOf('claim').length, till.runs]).toEqual([1, 1, 1]);
  });

  it('fails closed with 503 when the store does not answer', async () => {
    const { pay, till, backend } = await shop();
    backend.plan('records.begin', { kind: 'refuse' });
    const refused = await pay('key');
    expect(refused).toMatchObject({ status: 503, body: { status: 503, code: 'BACKEND_UNAVAILABLE' } });
    expect(refused.header('content-type')).toMatch(PROBLEM);
    expect(till.runs).toBe(0);
    expect((await pay('key')).status).toBe(202);
  });

  it('does not run again what gave an answer that cannot be stored', async () => {
    const { post, till } = await shop();
    const ask = () => post('odd/file', {}, { 'Idempotency-Key': 'file' });
    expect((await ask()).status).toBe(201);
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_RESULT' } });
    expect(till.runs).toBe(1);
  });

  it('gives again what the handler sends itself', async () => {
    const { post, till } = await shop();
    const ask = () => post('odd/past', {}, { 'Idempotency-Key': 'past' });
    expect(await ask()).toMatchObject({ status: 201, body: 'past Nest' });
    expect(await ask()).toMatchObject({ status: 201, body: 'past Nest' });
    expect(till.runs).toBe(1);
  });
});
