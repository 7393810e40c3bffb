import { jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { Backend } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { BedrockLockModule, BedrockService, getBackendToken, getLockToken } from 'nestjs-bedrock';
import { BedrockTestingModule, overrideBackends } from 'nestjs-bedrock/testing';
import { Orders } from './orders.js';

/** A backend that a test must not make. */
const dial = jest.fn((): Backend => {
  throw new Error('dialled');
});

@Module({ imports: [BedrockLockModule.forFeature(['audit'])], providers: [Orders], exports: [Orders] })
class OrdersModule {}

@Module({
  imports: [
    BedrockLockModule.forRoot({
      backends: { default: dial, records: dial },
      prefix: 'shop:',
      locks: ['order'],
      idempotency: [{ name: 'orders', backend: 'records' }],
    }),
    OrdersModule,
  ],
})
class AppModule {}

@Module({
  imports: [
    BedrockLockModule.forRootAsync({
      backends: ['default', 'records'],
      locks: ['order'],
      idempotency: [{ name: 'orders', backend: 'records' }],
      useFactory: () => ({ backends: { default: dial, records: dial }, prefix: 'shop:' }),
    }),
    OrdersModule,
  ],
})
class AsyncAppModule {}

describe.each([
  ['forRoot()', AppModule],
  ['forRootAsync()', AsyncAppModule],
])('an existing application with %s', (_way, App) => {
  it('is put on other backends, and keeps its locks, prefix and features', async () => {
    const [other, records] = [memory(), memory()];
    const module = await Test.createTestingModule({ imports: [App] })
      .overrideProvider(getBackendToken())
      .useValue(other)
      .overrideProvider(getBackendToken('records'))
      .useValue(records)
      .compile();
    await module.init();
    const orders = module.get(Orders);
    expect(await orders.place({ id: 'o-1' })).toBe('shop:order:o-1');
    expect(orders.audit.resource).toBe('shop:audit');
    const service = module.get(BedrockService);
    expect([service.bedrock().backend, service.bedrock('records').backend]).toEqual([other, records]);
    await module.close();
  });

  it('refuses an override of a backend that is not listed, and dials nothing', async () => {
    const builder = Test.createTestingModule({ imports: [App] })
      .overrideProvider(getBackendToken('recrods'))
      .useValue(memory());
    const dials = dial.mock.calls.length;
    await expect(builder.compile()).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: 'overridden backend must be one of default, records; got "recrods"',
    });
    expect(dial.mock.calls).toHaveLength(dials);
  });

  it('refuses a backend that only another application has', async () => {
    BedrockLockModule.forRoot({ backends: { default: dial, eu: dial } });
    const builder = Test.createTestingModule({ imports: [App] });
    const given = { default: memory(), records: memory(), eu: memory() };
    await expect(overrideBackends(builder, given).compile()).rejects.toMatchObject({
      message: 'overridden backend must be one of default, records; got "eu"',
    });
  });

  it('refuses a backend that it does not have', async () => {
    const builder = Test.createTestingModule({ imports: [App] });
    const given = { default: memory(), records: memory(), recrods: memory() };
    await expect(overrideBackends(builder, given).compile()).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      field: 'overridden backend',
      message: expect.stringContaining('one of default, records; got "recrods"') as unknown,
    });
  });

  it('has another lock injected by an override of its token, while its decorated methods keep theirs', async () => {
    const fake = { resource: 'fake' };
    const builder = Test.createTestingModule({ imports: [App] });
    const module = await overrideBackends(builder, { default: memory(), records: memory() })
      .overrideProvider(getLockToken('audit'))
      .useValue(fake)
      .compile();
    await module.init();
    const orders = module.get(Orders);
    expect(orders.audit).toBe(fake);
    expect(await orders.review()).toBe('shop:audit');
    await module.close();
  });

  it('is put on all of them at once', async () => {
    const builder = Test.createTestingModule({ imports: [App] });
    const module = await overrideBackends(builder, { default: memory(), records: memory() }).compile();
    await module.init();
    expect(await module.get(Orders).once('a')).toBe('a');
    await module.close();
  });
});

it('a token may be asked for before its module is known', async () => {
  const token = getBackendToken('late');
  const root = BedrockLockModule.forRoot({ backends: { default: () => memory(), late: dial } });
  const late = memory();
  const module = await Test.createTestingModule({ imports: [root] })
    .overrideProvider(token)
    .useValue(late)
    .compile();
  expect(module.get(BedrockService).bedrock('late').backend).toBe(late);
  await module.close();
});

it('a token may be asked for beside a test module, which has no such backend', async () => {
  const token = getBackendToken('elsewhere');
  const module = await Test.createTestingModule({ imports: [BedrockTestingModule.inMemory()] }).compile();
  await module.close();
  const refused = Test.createTestingModule({ imports: [AppModule] }).compile();
  await expect(refused).rejects.toMatchObject({ field: 'overridden backend' });
  expect(token).toContain('elsewhere');
});

it('a factory names only backends that the module lists', async () => {
  const root = BedrockLockModule.forRootAsync({
    useFactory: () => ({ backends: { other: () => memory() } }),
  });
  const compiled = Test.createTestingModule({ imports: [root] }).compile();
  await expect(compiled).rejects.toMatchObject({ code: 'INVALID_OPTION', field: 'backends' });
});
