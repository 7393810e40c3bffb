/**
 * An application that takes locks on two Redis backends, the first one in a hook of its start, and prints its warnings.
 * Arguments: the server's URL, and `hooks`, `quiet` or `nothing`: it listens to signals, has turned the warning off, or neither.
 */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { setTimeout } from 'node:timers/promises';
import { BedrockLockModule, BedrockService } from 'nestjs-bedrock';

const [, , url, how] = process.argv;

class App {
  static locks;

  async onModuleInit() {
    await App.locks.mutex('work').run(() => undefined);
  }
}
Module({
  imports: [
    BedrockLockModule.forRoot({
      backends: { default: () => redis({ url }), other: () => redis({ url }) },
      ...(how === 'quiet' && { warnWithoutShutdownHooks: false }),
    }),
  ],
  providers: [{ provide: 'locks', inject: [BedrockService], useFactory: (locks) => (App.locks = locks) }],
})(App);

const logger = { log() {}, error() {}, debug() {}, warn: (line) => console.log(line) };
const app = await NestFactory.createApplicationContext(App, { logger });
if (how === 'hooks') app.enableShutdownHooks();
const locks = app.get(BedrockService);
for (const backend of ['default', 'other'])
  for (let turn = 0; turn < 3; turn += 1) await locks.mutex('work', {}, backend).run(() => undefined);
// The warning comes 1 s after the first grant.
await setTimeout(1_300);
await app.close();
