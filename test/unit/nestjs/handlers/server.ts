import type { INestApplication, LoggerService, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { closeAll } from '../app.js';

/** The HTTP servers that Nest runs on. */
export const ADAPTERS: readonly (readonly [name: string, make: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

const open = new Set<{ close(): Promise<void> }>();

/** Closes what a test started; for `afterEach`. */
export async function closeServers(): Promise<void> {
  const all = [...open];
  open.clear();
  await Promise.all([closeAll(), ...all.map((one) => one.close())]);
  log.complaints.length = 0;
}

export function closing<T extends { close(): Promise<void> }>(app: T): T {
  open.add(app);
  return app;
}

/** What an application logs as warnings and errors. */
export class LogRecorder implements LoggerService {
  readonly complaints: unknown[] = [];

  log(): void {}

  warn(message: unknown): void {
    this.complaints.push(message);
  }

  error(message: unknown): void {
    this.complaints.push(message);
  }
}

// Nest has one logger in a process: that of the application which came last.
export const log = new LogRecorder();

export interface Served {
  readonly app: INestApplication;
  readonly url: string;
  readonly port: number;
  readonly log: LogRecorder;
}

/** An application that listens on a free port. */
export async function listen(
  metadata: ModuleMetadata,
  {
    adapter = new ExpressAdapter(),
    prepare,
  }: {
    readonly adapter?: AbstractHttpAdapter;
    readonly prepare?: (app: INestApplication) => unknown;
  } = {},
): Promise<Served> {
  const module = await Test.createTestingModule(metadata).setLogger(log).compile();
  const app = closing(module.createNestApplication(adapter, { logger: log }));
  await prepare?.(app);
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return { app, url: `http://127.0.0.1:${port}`, port, log };
}
