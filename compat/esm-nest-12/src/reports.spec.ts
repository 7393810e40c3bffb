import { Injectable, type INestApplication } from '@nestjs/common';
import { Cron, CronExpression, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { memory, MemoryStore } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import { eventually } from 'bedrock-testkit';
import { BedrockLockModule, DistributedLock } from 'nestjs-bedrock';

@Injectable()
class Reports {
  runs = 0;

  @Cron(CronExpression.EVERY_SECOND)
  @DistributedLock({ lock: 'report', onBusy: 'skip', holdAtLeastMs: 300_000 })
  async write(): Promise<string | undefined> {
    this.runs += 1;
    return 'written';
  }
}

const store = new MemoryStore();

it.each([
  ['memory', () => memory({ store })],
  ['Redis', () => redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')],
])('a report of five minutes is written by one of two applications on %s', async (_name, backend) => {
  const prefix = `report at ${Date.now()}:`;
  const open = async (): Promise<INestApplication> => {
    const locks = BedrockLockModule.forRoot({ backend, prefix, locks: ['report'], shutdownGraceMs: 0 });
    const imports = [ScheduleModule.forRoot(), locks];
    const testing = await Test.createTestingModule({ imports, providers: [Reports] }).compile();
    return testing.createNestApplication().init();
  };
  const apps = [await open(), await open()];
  const reports = apps.map((app) => app.get(Reports));
  const runs = () => reports.reduce((sum, one) => sum + one.runs, 0);
  await eventually('a tick has come', () => runs() > 0);
  expect(await Promise.all(reports.map((one) => one.write()))).toEqual([undefined, undefined]);
  expect(runs()).toBe(1);
  await Promise.all(apps.map((app) => app.close()));
});
