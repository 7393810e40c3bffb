import { NestFactory } from '@nestjs/core';
import type { Backend } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import { AppModule } from './app.module';
import { isOneCopy } from './one-copy';
import { askShop, holdSale } from './sale';

async function run(backend: () => Backend) {
  const app = await NestFactory.create(AppModule.on(backend), { logger: ['error', 'warn'] });
  app.enableShutdownHooks();
  const seen = { sale: await holdSale(app), shop: await askShop(app) };
  await app.close();
  return seen;
}

async function main() {
  const url = process.env['REDIS_URL'];
  const seen = {
    memory: await run(() => memory()),
    redis: url === undefined ? 'no REDIS_URL' : await run(() => redis({ url })),
    oneCopy: await isOneCopy(),
  };
  console.log(JSON.stringify(seen));
}

void main();
