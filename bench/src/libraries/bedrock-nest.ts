import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule, BedrockService, DistributedLock } from 'nestjs-bedrock';
import './client.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';

@Injectable()
class Visitor {
  @DistributedLock({ lock: 'bench', key: '{0}' })
  async visit(_key: string, body: () => Promise<void> | void): Promise<void> {
    await body();
  }
}

/** Bedrock by a decorated method of a Nest provider, with the key from its first argument. */
export async function open({ url, leaseMs }: OpenLockOptions): Promise<OpenLock> {
  @Module({
    imports: [
      BedrockLockModule.forRoot({
        backend: () => redis({ url }),
        defaults: { leaseMs, waitMs: Infinity },
        locks: ['bench'],
      }),
    ],
    providers: [Visitor],
  })
  class BenchModule {}

  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
  const visitor = app.get(Visitor);
  const lock = app.get(BedrockService).lock('bench');
  return {
    acquire: (key) => lock.for(key).acquire(),
    release: (lease) => (lease as Awaited<ReturnType<typeof lock.acquire>>).release(),
    run: (key, body) => visitor.visit(key, body),
    close: () => app.close(),
  };
}
