import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Backend } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import { ADAPTERS } from './adapters.js';
import { PaymentsController, PaymentsModule } from './payments.js';

describe.each(ADAPTERS)('payments on %s', (_name, adapter) => {
  let app: INestApplication;
  afterEach(() => app.close());

  async function open(backend: () => Backend): Promise<(path: string, key?: string) => Promise<Response>> {
    const testing = await Test.createTestingModule({ imports: [PaymentsModule.on(backend)] }).compile();
    app = testing.createNestApplication(adapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    return (path, key = 'p-1') =>
      fetch(`${url}/payments/${path}`, {
        method: 'POST',
        headers: { 'Idempotency-Key': key },
        redirect: 'manual',
      });
  }

  const runs = () => app.get(PaymentsController).runs;
  const isReplay = (answer: Response) => answer.headers.get('idempotent-replayed') === 'true';

  it('gives a retry the answer of the first, without what the serializer hides', async () => {
    const ask = await open(() => memory());
    const answers = [await ask('of/5'), await ask('of/5')];
    expect(answers.map(isReplay)).toEqual([false, true]);
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('x-total')]).toEqual([201, '5']);
      expect(await answer.json()).toEqual({ run: 1, amount: 5 });
    }
    expect(runs()).toBe(1);
  });

  it('leaves the key free when a pipe refuses the request', async () => {
    const ask = await open(() => memory());
    const refused = await ask('of/five');
    expect([refused.status, runs()]).toEqual([400, 0]);
    const corrected = await ask('of/5');
    expect([corrected.status, isReplay(corrected), runs()]).toEqual([201, false, 1]);
  });

  it('gives the 404 of the body again', async () => {
    const ask = await open(() => memory());
    const answers = [await ask('unknown'), await ask('unknown')];
    expect(answers.map(isReplay)).toEqual([false, true]);
    for (const answer of answers)
      expect(await answer.json()).toMatchObject({ statusCode: 404, message: 'run 1' });
  });

  it('redirects a retry to the same place', async () => {
    const ask = await open(() => memory());
    for (const _turn of [1, 2]) {
      const answer = await ask('redirected');
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/receipts/1']);
    }
  });

  it('start without their server, and answer 503', async () => {
    const ask = await open(() => redis({ url: 'redis://127.0.0.1:1', operationTimeoutMs: 100 }));
    for (const path of ['settled', 'of/5']) {
      const answer = await ask(path);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        503,
        'BACKEND_UNAVAILABLE',
      ]);
    }
    expect(runs()).toBe(0);
  });

  it('find their server by a URL of Valkey', async () => {
    const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';
    const ask = await open(() => redis(url.replace('redis://', 'valkey://')));
    expect(await (await ask('settled')).text()).toBe('settled');
  });
});
