import { Module, type DynamicModule } from '@nestjs/common';
import type { Backend } from 'bedrock-lock';
import { memory } from 'bedrock-lock/memory';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule } from 'nestjs-bedrock';
import type { AppSettings } from './app.settings.js';
import { MAX_BUYERS } from './cli/option-table.js';
import { ContentionModule } from './contention/contention.module.js';
import { FlashSaleModule } from './flash-sale/flash-sale.module.js';
import { LockDelayModule } from './lock-delay/lock-delay.module.js';
import { LockTimeModule } from './lock-time/lock-time.module.js';
import { StoreModule } from './store/store.module.js';

/** The application under test: its locks are created here, once, and used by the modules below. */
@Module({})
export class AppModule {
  static register(settings: AppSettings): DynamicModule {
    const { ground, leaseMs } = settings;
    return {
      module: AppModule,
      imports: [
        BedrockLockModule.forRoot({
          backend: () => backendOf(settings),
          prefix: ground.kind === 'redis' ? ground.prefix : '',
          // All buyers wait at once, and none gives up unless the server is gone: then the run must end all the same.
          defaults: { leaseMs, waitMs: 30_000, maxWaiters: MAX_BUYERS },
          locks: ['flash-sale', 'contention', 'lock-time', 'lock-delay'],
          // The memory backend serves one process only, and that is what the command line allows it for.
          allowInProcessLocks: true,
        }),
        StoreModule.register(ground),
        FlashSaleModule,
        ContentionModule,
        LockTimeModule,
        LockDelayModule,
      ],
    };
  }
}

function backendOf({ ground, label }: AppSettings): Backend {
  const labelled = label === undefined ? {} : { label };
  if (ground.kind === 'memory') return memory({ store: ground.memory.locks, ...labelled });
  return redis({ url: ground.url, ...labelled });
}
