import { Module, type DynamicModule } from '@nestjs/common';
import { BedrockLockModule } from 'nestjs-bedrock';
import type { AppSettings } from './app.settings.js';
import { MAX_BUYERS } from './cli/option-table.js';
import { ContentionModule } from './contention/contention.module.js';
import { FlashSaleModule } from './flash-sale/flash-sale.module.js';
import { LockDelayModule } from './lock-delay/lock-delay.module.js';
import { LockTimeModule } from './lock-time/lock-time.module.js';
import { backendOf } from './server/backend-of.js';
import { StoreModule } from './store/store.module.js';
import { MetricsModule } from './telemetry/metrics.module.js';
import { Metrics } from './telemetry/metrics.service.js';

/** The application under test: creates its locks here, once, for the modules below. */
@Module({})
export class AppModule {
  static register(settings: AppSettings): DynamicModule {
    const { servers, leaseMs } = settings;
    return {
      module: AppModule,
      imports: [
        BedrockLockModule.forRootAsync({
          locks: ['flash-sale', 'contention', 'lock-time', 'lock-delay'],
          imports: [MetricsModule],
          inject: [Metrics],
          useFactory: async ({ telemetry }: Metrics) => ({
            backend: await backendOf(settings),
            prefix: servers.kind === 'memory' ? '' : servers.prefix,
            // All buyers wait at once, and none gives up unless the server is gone; then the run must still end.
            defaults: { leaseMs, waitMs: 30_000, maxWaiters: MAX_BUYERS },
            // The memory backend serves one process only, and the command line allows it only for one.
            allowInProcessLocks: true,
            telemetry: settings.metricsPort === undefined ? false : telemetry,
          }),
        }),
        MetricsModule,
        StoreModule.register(servers),
        FlashSaleModule,
        ContentionModule,
        LockTimeModule,
        LockDelayModule,
      ],
    };
  }
}
