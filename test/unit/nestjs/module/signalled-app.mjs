/**
 * An application that holds a lock on Redis, has a caller that waits for it, and is then ended by a signal.
 * Arguments: the server's URL, how long holders may finish, how long this one takes, in ms.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { BedrockLockModule, BedrockService, currentLease, DistributedLock } from 'nestjs-bedrock';

const [, , url, graceMs, workMs] = process.argv;

class Work {
  async run(body) {
    await body();
    return currentLease().isHeld;
  }
}
const method = Object.getOwnPropertyDescriptor(Work.prototype, 'run');
DistributedLock({ lock: 'work', waitMs: Infinity })(Work.prototype, 'run', method);
Object.defineProperty(Work.prototype, 'run', method);

class App {}
const locks = BedrockLockModule.forRoot({
  backend: () => redis({ url }),
  locks: ['work'],
  shutdownGraceMs: Number(graceMs),
});
Module({ imports: [locks], providers: [Work] })(App);

const app = await NestFactory.createApplicationContext(App, { logger: false });
app.enableShutdownHooks();
const work = app.get(Work);
const told = new Promise((resolve) => process.once('SIGTERM', resolve));

work
  .run(async () => {
    const { signal } = currentLease();
    signal.addEventListener('abort', () =>
      console.log(`holder: ${signal.reason.code} ${signal.reason.reason}`),
    );
    console.log('holding');
    await told;
    await setTimeout(Number(workMs));
  })
  .then(
    (isHeld) => console.log(`holder held: ${isHeld}`),
    () => undefined,
  );
work.run(async () => {}).catch(({ code }) => console.log(`waiter: ${code}`));
const bedrock = app.get(BedrockService).bedrock();
while (bedrock.stats().holds === 0 || bedrock.stats().waiters === 0) await setImmediate();
console.log('waiting');
