/**
 * An application that takes a lock on Redis, and prints its warnings. Arguments: the server's URL, and `hooks`, `quiet` or
 * `nothing`: it listens to signals, it has turned the warning off, or neither.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule, BedrockService } from 'nestjs-bedrock';

const [, , url, how] = process.argv;

class App {}
Module({
  imports: [
    BedrockLockModule.forRoot({
      backend: () => redis({ url }),
      locks: ['work'],
      ...(how === 'quiet' && { warnWithoutShutdownHooks: false }),
    }),
  ],
})(App);

const logger = { log() {}, error() {}, debug() {}, warn: (line) => console.log(line) };
const app = await NestFactory.createApplicationContext(App, { logger });
if (how === 'hooks') app.enableShutdownHooks();
const work = app.get(BedrockService).mutex('work');
for (let turn = 0; turn < 3; turn += 1) await work.run(() => undefined);
await app.close();
