import { ClassSerializerInterceptor, type INestApplication } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, type AbstractHttpAdapter } from '@nestjs/core';
import { memory } from 'bedrock-lock/memory';
import { FaultyBackend } from 'bedrock-testkit';
import { BedrockLockModule } from 'nestjs-bedrock';
import { listen } from '../handlers/server.js';
import { CARD, CardKiosk, Kiosk } from './kiosk-controller.js';
import { Counts, EverythingFilter, WrappingInterceptor } from './kiosk-interceptors.js';

export interface KioskOptions {
  /** The filter and the interceptor of the whole application. */
  readonly everywhere?: 'filter' | 'interceptor' | 'serializer';
  readonly leaseMs?: number;
  readonly prepare?: (app: INestApplication) => unknown;
}

/** An application whose answers are made by more than its handlers. */
export async function kiosk(adapter: AbstractHttpAdapter, options: KioskOptions = {}) {
  const backend = new FaultyBackend(memory());
  const everywhere =
    options.everywhere === 'filter'
      ? [{ provide: APP_FILTER, useClass: EverythingFilter }]
      : options.everywhere === 'interceptor'
        ? [{ provide: APP_INTERCEPTOR, useClass: WrappingInterceptor }]
        : options.everywhere === 'serializer'
          ? [{ provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor }]
          : [];
  const { app, url, log } = await listen(
    {
      imports: [
        BedrockLockModule.forRoot({
          backend: () => backend,
          locks: ['till'],
          idempotency: [{ name: 'kiosk', leaseMs: options.leaseMs ?? 30_000 }],
          shutdownGraceMs: 0,
        }),
      ],
      controllers: [Kiosk, CardKiosk],
      providers: [Counts, ...everywhere],
    },
    {
      adapter,
      prepare: async (made) => {
        const counts = made.get(Counts);
        made.use(
          (
            _request: unknown,
            response: { setHeader(name: string, value: string): void },
            next: () => void,
          ) => {
            response.setHeader('X-Request-Number', String((counts.requests += 1)));
            next();
          },
        );
        await options.prepare?.(made);
      },
    },
  );
  const counts = app.get(Counts);
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { 'Idempotency-Key': 'key' };
    const response = await fetch(`${url}/${path}`, { method: 'POST', headers, redirect: 'manual', ...init });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      bytes,
      text: bytes.toString(),
      headers: Object.fromEntries(response.headers),
      cookies: response.headers.getSetCookie(),
      isReplay: response.headers.get('idempotent-replayed') === 'true',
    };
  };
  return { app, url, backend, counts, ask, log, CARD };
}
