import 'reflect-metadata';
import { Controller, Injectable, Module, Post, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule, Idempotent } from 'nestjs-bedrock';
import './client.js';
import { noLock, type OpenLockOptions, type OpenLock } from './open-lock.js';
import { handle, openHandler } from './repeated.js';

@Controller()
class Orders {
  @Post('orders')
  @Idempotent('orders')
  async place(): Promise<object> {
    return handle();
  }
}

@Injectable()
class Shop {
  @Idempotent({ idempotency: 'orders', key: '{0}' })
  async place(_key: string): Promise<object> {
    return handle();
  }
}

@Module({})
class BenchModule {
  static on({ url }: OpenLockOptions): DynamicModule {
    const locks = BedrockLockModule.forRoot({
      backend: () => redis({ url }),
      idempotency: ['orders'],
    });
    return { module: BenchModule, imports: [locks], controllers: [Orders], providers: [Shop] };
  }
}

/** `@Idempotent()` on a handler, with the key in its header. */
export function open(options: OpenLockOptions): Promise<OpenLock> {
  return openHandler(BenchModule.on(options));
}

/** `@Idempotent()` on a method of a provider, with the key from its first argument. */
export async function openMethod(options: OpenLockOptions): Promise<OpenLock> {
  const app = await NestFactory.createApplicationContext(BenchModule.on(options), { logger: ['error'] });
  const shop = app.get(Shop);
  return { ...noLock('a method'), once: (key) => shop.place(key), close: () => app.close() };
}
