import { Module, type DynamicModule } from '@nestjs/common';
import type { Ground } from '../server/ground.js';
import { openNumbers } from '../server/open-numbers.js';
import { NumberStore } from './number.store.js';

/** Gives every module the number store of the ground. */
@Module({})
export class StoreModule {
  static register(ground: Ground): DynamicModule {
    return {
      module: StoreModule,
      global: true,
      providers: [{ provide: NumberStore, useFactory: () => openNumbers(ground) }],
      exports: [NumberStore],
    };
  }
}
