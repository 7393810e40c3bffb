import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseError } from './database.error.js';
import { SettingError } from './setting.error.js';

const HOST = '127.0.0.1';
/** Connections not yet accepted: many concurrent ones must not need a TCP retry. */
const BACKLOG = 4_096;
/** Limit of an order with all its lines. */
const BODY_LIMIT = '16kb';

/** A service to open. */
export interface Service {
  /** Its name: `order service`. */
  readonly title: string;
  /** Port 0 takes a free one. */
  readonly port: number;
  readonly module: DynamicModule;
}

/**
 * Entry of a process: opens the service, prints its URL, and closes it gracefully at SIGTERM and SIGINT. Ends with exit
 * code 2 for a bad setting, and 1 if it cannot start.
 */
export async function openService(prepare: () => Promise<Service>): Promise<void> {
  try {
    const { title, port, module } = await prepare();
    const app = await NestFactory.create<NestExpressApplication>(module, {
      logger: ['warn', 'error', 'fatal'],
      abortOnError: false,
      bodyParser: false,
      // A page that listens to events would keep a closing server for ever.
      forceCloseConnections: true,
    });
    app.useBodyParser('json', { limit: BODY_LIMIT });
    app.enableShutdownHooks(['SIGINT', 'SIGTERM'], { useProcessExit: true });
    await app.init();
    const server: Server = app.getHttpServer();
    server.listen({ port, host: HOST, backlog: BACKLOG });
    await once(server, 'listening');
    const { port: open } = server.address() as AddressInfo;
    process.stdout.write(`${title} at http://${HOST}:${open}\n`);
  } catch (error) {
    process.stderr.write(`error: ${explain(error)}\n`);
    // Resources opened before the failure must not keep the process.
    process.exit(error instanceof SettingError ? 2 : 1);
  }
}

function explain(error: unknown): string {
  if (error instanceof DatabaseError) return `${error.message}: ${String(error.cause)}`;
  return error instanceof Error ? error.message : String(error);
}
