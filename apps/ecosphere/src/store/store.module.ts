import { Module, type DynamicModule } from '@nestjs/common';
import type { RunServers } from '../server/run-servers.js';
import { openNumbers } from '../server/open-numbers.js';
import { NumberStore } from './number.store.js';

/** Provides the number store of the servers to every module. */
@Module({})
export class StoreModule {
  static register(servers: RunServers): DynamicModule {
    return {
      module: StoreModule,
      global: true,
      providers: [{ provide: NumberStore, useFactory: () => openNumbers(servers) }],
      exports: [NumberStore],
    };
  }
}
