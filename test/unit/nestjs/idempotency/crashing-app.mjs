/**
 * An application that is killed while it answers a request with a key.
 * Arguments: the server's URL, `express` or `fastify`, and when: `after-body`, `before-sending` or `never`. Prints its port.
 */
import 'reflect-metadata';
import { Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { redis } from 'bedrock-lock/redis';
import { Redis } from 'ioredis';
import { BedrockLockModule, Idempotent } from 'nestjs-bedrock';
import { tap } from 'rxjs';

const [, , url, adapter, when] = process.argv;
const counter = new Redis(url);
const die = () => process.kill(process.pid, 'SIGKILL');

class Payments {
  async pay() {
    return { run: await counter.incr('runs') };
  }
}
const method = Object.getOwnPropertyDescriptor(Payments.prototype, 'pay');
Idempotent({ idempotency: 'payments', scope: 'shop' })(Payments.prototype, 'pay', method);
Object.defineProperty(Payments.prototype, 'pay', method);
Post('payments')(Payments.prototype, 'pay', method);
Controller()(Payments);

class App {}
Module({
  imports: [
    BedrockLockModule.forRoot({
      backend: () => redis({ url }),
      idempotency: [{ name: 'payments', leaseMs: 1_000 }],
    }),
  ],
  controllers: [Payments],
})(App);

const options = { logger: false };
const app =
  adapter === 'fastify'
    ? await NestFactory.create(App, new FastifyAdapter(), options)
    : await NestFactory.create(App, options);
if (when === 'after-body')
  app.useGlobalInterceptors({ intercept: (_context, next) => next.handle().pipe(tap(die)) });
if (when === 'before-sending')
  app.use((_request, response, next) => {
    // What puts the first byte on the wire.
    for (const write of ['writeHead', 'end']) response[write] = die;
    next();
  });
await app.listen(0, '127.0.0.1');
console.log(app.getHttpServer().address().port);
