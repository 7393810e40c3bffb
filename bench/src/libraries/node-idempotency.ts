import 'reflect-metadata';
import { Controller, Module, Post, UseInterceptors, type DynamicModule } from '@nestjs/common';
import { NodeIdempotencyInterceptor, NodeIdempotencyModule } from '@node-idempotency/nestjs';
import { RedisStorageAdapter } from '@node-idempotency/storage-adapter-redis';
import { commandSent } from '../figures/commands.js';
import type { OpenLockOptions, OpenLock } from './open-lock.js';
import { handle, openHandler } from './repeated.js';

/** Its own store on Redis; each call is one command. */
class CountedStore extends RedisStorageAdapter {
  override setIfNotExists(...args: Parameters<RedisStorageAdapter['setIfNotExists']>): Promise<boolean> {
    commandSent();
    return super.setIfNotExists(...args);
  }

  override set(...args: Parameters<RedisStorageAdapter['set']>): Promise<void> {
    commandSent();
    return super.set(...args);
  }

  override get(...args: Parameters<RedisStorageAdapter['get']>): Promise<string | undefined> {
    commandSent();
    return super.get(...args);
  }
}

@Controller()
class Orders {
  @Post('orders')
  @UseInterceptors(NodeIdempotencyInterceptor)
  async place(): Promise<object> {
    return handle();
  }
}

@Module({})
class BenchModule {
  static on(adapter: CountedStore): DynamicModule {
    return {
      module: BenchModule,
      imports: [NodeIdempotencyModule.forRootAsync({ storage: { adapter } })],
      controllers: [Orders],
    };
  }
}

/** @node-idempotency/nestjs with its store on Redis (over its own client, node-redis 4). */
export async function open({ url }: OpenLockOptions): Promise<OpenLock> {
  const store = new CountedStore({ url });
  await store.connect();
  return openHandler(BenchModule.on(store));
}
