import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServeOptions } from '../cli/parse-serve.js';
import { openRedis } from '../server/open-run-servers.js';
import { HTTP } from './bounds.js';
import { SaleRepository } from './sale.repository.js';
import type { Balance } from './sale.js';
import { ShopFrontModule, type ShopSettings } from './shop-front.module.js';

const HOST = '127.0.0.1';

/** A shop that serves requests. */
export interface OpenShop {
  /** Its URL. */
  readonly url: string;
  /** Locations of its locks and its book, in words. */
  readonly place: string;
  readonly balance: Balance;
}

/** Opens the shop; SIGINT and SIGTERM close it gracefully. @throws ServerError, or why the port is unavailable */
export async function openShop({ port, stock, redis }: ServeOptions): Promise<OpenShop> {
  const { url, label, close } = await openRedis(redis);
  const app = await createShop({ url, stock, onClosed: close });
  try {
    app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
    return {
      url: `http://${HOST}:${await listen(app, port)}`,
      place: label,
      balance: await app.get(SaleRepository).balance(),
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The application, which does not listen yet. Nest logs only warnings and errors. */
export async function createShop(settings: ShopSettings): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(ShopFrontModule.register(settings), {
    logger: ['warn', 'error', 'fatal'],
    abortOnError: false,
    bodyParser: false,
  });
  app.useBodyParser('json', { limit: HTTP.bodyLimit });
  return app;
}

/** Listens with the bounds of the shop, which `app.listen()` does not accept. @returns the port */
async function listen(app: NestExpressApplication, port: number): Promise<number> {
  await app.init();
  const server: Server = app.getHttpServer();
  server.keepAliveTimeout = HTTP.keepAliveTimeoutMs;
  server.requestTimeout = HTTP.requestTimeoutMs;
  server.headersTimeout = HTTP.requestTimeoutMs;
  server.listen({ port, host: HOST, backlog: HTTP.backlog });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
