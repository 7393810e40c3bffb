import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import type { Mutex } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { ManualClock } from 'bedrock-testkit';
import { BedrockLockModule, BedrockService, getBackendToken } from 'nestjs-bedrock';
import { BedrockTestingModule, overrideBackends, RecordedLocks } from 'nestjs-bedrock/testing';
import { AppModule } from './app.module.js';
import { StockService } from './stock.service.js';

const dial = (where = 'the backend'): never => {
  throw new Error(`dialled ${where}`);
};

@Module({
  imports: [
    ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ url: 'redis://redis:6379' })] }),
    BedrockLockModule.forRootAsync({
      imports: [ConfigModule],
      inject: [ConfigService],
      backends: ['default', 'audits'],
      locks: ['item', { name: 'audit', backend: 'audits' }],
      useFactory: (config: ConfigService) => ({
        prefix: 'configured:',
        backends: {
          default: () => dial(config.getOrThrow('url')),
          audits: () => dial(config.getOrThrow('url')),
        },
      }),
    }),
  ],
  providers: [StockService],
})
class ConfiguredModule {}

describe('an existing application', () => {
  it('with forRoot() is put on memory by one line, and dials nothing', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule.on(dial)] })
      .overrideProvider(getBackendToken())
      .useValue(memory())
      .compile();
    await module.init();
    expect(await module.get(StockService).auditOnce()).toBe('audited');
    await module.close();
  });

  it('with forRootAsync() and a ConfigService is put on memory, named backends too', async () => {
    const audits = memory();
    const module = await Test.createTestingModule({ imports: [ConfiguredModule] })
      .overrideProvider(getBackendToken())
      .useValue(memory())
      .overrideProvider(getBackendToken('audits'))
      .useValue(audits)
      .compile();
    await module.init();
    expect(await module.get(StockService).auditOnce()).toBe('audited');
    const service = module.get(BedrockService);
    expect(service.bedrock('audits').backend).toBe(audits);
    expect(service.lock('item').resource).toBe('configured:item');
    await module.close();
  });

  it('is put on memory by overrideBackends()', async () => {
    const builder = Test.createTestingModule({ imports: [ConfiguredModule] });
    const module = await overrideBackends(builder, { default: memory(), audits: memory() }).compile();
    await module.init();
    expect(await module.get(StockService).auditByHand()).toBe('audited');
    await module.close();
  });

  it('does not start with an override of a backend that it does not have', async () => {
    const builder = Test.createTestingModule({ imports: [AppModule.on(dial)] })
      .overrideProvider(getBackendToken('adits'))
      .useValue(memory());
    await expect(builder.compile()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});

describe('a provider', () => {
  it('is tested without locks, which are recorded', async () => {
    const module = await Test.createTestingModule({
      imports: [BedrockTestingModule.noLocks()],
      providers: [StockService],
    })
      .useMocker(() => ({}))
      .compile();
    expect(await module.get(StockService).auditOnce()).toBe('audited');
    expect(module.get(RecordedLocks).keysOf('audit')).toEqual(['']);
    await module.close();
  });

  it('is tested under locks in memory, by the clock of the test', async () => {
    const clock = new ManualClock();
    const module = await Test.createTestingModule({
      imports: [BedrockTestingModule.inMemory({ clock, locks: ['item', 'audit'] })],
      providers: [StockService],
    }).compile();
    const stock = module.get(StockService);
    expect(await stock.isHeld({ id: 'a1' })).toBe(true);
    await stock.auditByHand();
    expect(module.get(RecordedLocks).calls).toEqual([
      { method: 'StockService.isHeld()', lock: 'item', key: ['a1'] },
      { method: 'Mutex.run()', lock: 'audit', key: [] },
    ]);
    const audit = module.get(BedrockService).lock('audit');
    const lease = await audit.acquire({ leaseMs: 60_000, renew: false });
    expect(await stock.auditOnce()).toBeUndefined();
    await clock.advance(60_001);
    expect(lease.isHeld).toBe(false);
    expect(await stock.auditOnce()).toBe('audited');
    await module.close();
  });

  it('that the test makes itself is under the locks of the test module', async () => {
    const module = await Test.createTestingModule({
      imports: [BedrockTestingModule.inMemory({ locks: ['item', 'audit'] })],
    }).compile();
    const stock = new StockService({} as Mutex);
    expect(await stock.isHeld({ id: 'a1' })).toBe(true);
    expect(module.get(RecordedLocks).keysOf('item')).toEqual(['a1']);
    await module.close();
    await expect(stock.isHeld({ id: 'a1' })).rejects.toMatchObject({ code: 'LOCK_UNBOUND' });
  });

  it('that got doubles is under the locks of the test module', async () => {
    const locks = await Test.createTestingModule({
      imports: [BedrockTestingModule.inMemory({ locks: ['item', 'audit'] })],
    }).compile();
    const module = await Test.createTestingModule({ providers: [StockService] })
      .useMocker(() => ({}))
      .compile();
    expect(await module.get(StockService).isHeld({ id: 'a1' })).toBe(true);
    await module.close();
    await locks.close();
  });
});
