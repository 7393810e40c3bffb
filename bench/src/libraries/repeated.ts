import 'reflect-metadata';
import { Controller, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { noLock, type OpenLock } from './open-lock.js';

/** Number of handler runs in this process. */
export const handled = { runs: 0 };

/** The response of a handler: an order of a shop. */
export function handle(): object {
  handled.runs += 1;
  return { id: `order-${handled.runs}`, status: 'confirmed', lines: [{ goods: 'apple', quantity: 3 }] };
}

/** The handler without idempotency. */
@Controller()
export class PlainOrders {
  @Post('orders')
  async place(): Promise<object> {
    return handle();
  }
}

const PAYLOAD = { customer: 'c-1', lines: [{ goods: 'apple', quantity: 3 }] };

/**
 * Requests to `POST /orders` of a Nest application on Fastify, without sockets, so that the application is measured.
 */
export async function openHandler(module: Type | object): Promise<OpenLock<never>> {
  const app = await NestFactory.create<NestFastifyApplication>(module as Type, new FastifyAdapter(), {
    logger: ['error'],
  });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return {
    ...noLock('a handler'),
    async once(key) {
      const headers = { 'idempotency-key': key };
      const answer = await app.inject({ method: 'POST', url: '/orders', headers, payload: PAYLOAD });
      if (answer.statusCode !== 201) throw new Error(`status ${answer.statusCode}: ${answer.payload}`);
    },
    close: () => app.close(),
  };
}
