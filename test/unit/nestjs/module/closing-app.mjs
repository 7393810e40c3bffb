/** An application that uses a lock on Redis once, closes, and must then end by itself. Argument: the server's URL. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule, currentLease, DistributedLock } from 'nestjs-bedrock';

class Work {
  async run() {
    return currentLease()?.resource;
  }
}
const method = Object.getOwnPropertyDescriptor(Work.prototype, 'run');
DistributedLock('closing')(Work.prototype, 'run', method);
Object.defineProperty(Work.prototype, 'run', method);

class App {}
const locks = BedrockLockModule.forRoot({
  backend: () => redis({ url: process.argv[2] }),
  locks: ['closing'],
});
Module({ imports: [locks], providers: [Work] })(App);

const app = await NestFactory.createApplicationContext(App, { logger: false });
console.log(`ran under ${await app.get(Work).run()}`);
await app.close();
console.log('closed');
