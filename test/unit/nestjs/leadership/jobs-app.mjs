/**
 * An application with scheduled jobs, one of several processes. Argument: the server's URL. Told 'stall' it stays in its
 * next guarded job for ever. Prints `<job> <tick> ran` or `<job> <tick> skipped`; a tick is two seconds of its own clock.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { redis } from 'bedrock-lock/redis';
import { setTimeout } from 'node:timers/promises';
import { BedrockLockModule, DistributedLock } from 'nestjs-bedrock';

const tickNow = () => Math.round(Date.now() / 2_000);
const tell = (job, what) => console.log(`${job} ${tickNow()} ${what}`);
let isToStall = false;
process.on('message', () => (isToStall = true));

class Jobs {
  /** Shorter than the clocks of the processes differ. */
  async guarded() {
    if (isToStall) {
      tell('guarded', 'stalled');
      await new Promise(() => {});
    }
    tell('guarded', 'ran');
  }

  /** Longer than the clocks differ, shorter than its lock is kept. */
  async long() {
    const started = tickNow();
    await setTimeout(300);
    console.log(`long ${started} ran`);
  }

  /** As short, and free for the next process as soon as it has ended. */
  async careless() {
    tell('careless', 'ran');
  }
}

function schedule(job, options) {
  const method = Object.getOwnPropertyDescriptor(Jobs.prototype, job);
  DistributedLock({ lock: job, onBusy: () => tell(job, 'skipped'), ...options })(Jobs.prototype, job, method);
  Cron('*/2 * * * * *')(Jobs.prototype, job, method);
  Object.defineProperty(Jobs.prototype, job, method);
}
schedule('guarded', { leaseMs: 1_200, holdAtLeastMs: 1_500 });
schedule('long', { holdAtLeastMs: 1_500 });
schedule('careless', {});

class App {}
const locks = BedrockLockModule.forRoot({
  backend: () => redis({ url: process.argv[2] }),
  locks: ['guarded', 'long', 'careless'],
});
Module({ imports: [ScheduleModule.forRoot(), locks], providers: [Jobs] })(App);

await NestFactory.createApplicationContext(App, { logger: ['error'] });
