import { Test } from '@nestjs/testing';
import { memory } from 'bedrock-lock/memory';
import { getBackendToken } from 'nestjs-bedrock';
import { BedrockTestingModule, RecordedLocks } from 'nestjs-bedrock/testing';
import { AppModule } from './app.module';
import { StockService } from './stock.service';

it('the application is put on memory by one line, and dials nothing', async () => {
  const dial = () => {
    throw new Error('dialled');
  };
  const module = await Test.createTestingModule({ imports: [AppModule.on(dial)] })
    .overrideProvider(getBackendToken())
    .useValue(memory())
    .compile();
  await module.init();
  expect(await module.get(StockService).auditOnce()).toBe('audited');
  await module.close();
});

it('a provider is tested without locks, which are recorded', async () => {
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
