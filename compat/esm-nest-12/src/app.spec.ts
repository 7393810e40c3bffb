import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { LockBusyError } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import { BedrockService } from 'nestjs-bedrock';
import { AppModule } from './app.module.js';
import { askShop, CALLS, holdSale } from './sale.js';

describe.each([
  ['memory', () => memory()],
  ['Redis', () => redis({ url: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379' })],
])('the application on %s', (_name, backend) => {
  let app: INestApplication;
  beforeEach(async () => {
    const testing = await Test.createTestingModule({ imports: [AppModule.on(backend)] }).compile();
    app = await testing.createNestApplication().init();
  });
  afterEach(() => app.close());

  it('sells to one call at a time', async () => {
    expect(await holdSale(app)).toEqual({
      left: 0,
      crowd: 1,
      nested: CALLS,
      report: ['compat:audit', 'done'],
      audits: ['audited', undefined],
    });
  });

  it('answers its clients', async () => {
    expect(await askShop(app)).toEqual({
      free: ['audited', 'audited'],
      health: 'ok',
      busy: { status: 409, retryAfter: true, code: 'LOCK_BUSY', message: 'LOCK_BUSY' },
      keyless: ['application/problem+json', 'IDEMPOTENCY_KEY_MISSING'],
      orders: [
        [201, 'ordered', '1', false],
        [201, 'ordered', '1', true],
      ],
    });
  });

  it('throws the errors of the library', async () => {
    const item = app.get(BedrockService).lock('item').for('b2');
    const lease = await item.acquire();
    await expect(item.acquire({ waitMs: 0 })).rejects.toBeInstanceOf(LockBusyError);
    await lease.release();
  });
});
