import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import type { Backend } from 'bedrock-lock';
import { BedrockLockModule } from 'nestjs-bedrock';
import { BedrockHealthIndicator } from 'nestjs-bedrock/terminus';
import { ShopController } from './shop.controller.js';
import { StockService } from './stock.service.js';

@Module({
  imports: [TerminusModule],
  controllers: [ShopController],
  providers: [StockService, BedrockHealthIndicator],
})
export class AppModule {
  /** The application on a backend of the caller's. */
  static on(backend: () => Backend): DynamicModule {
    return {
      module: AppModule,
      imports: [
        BedrockLockModule.forRoot({
          backend,
          prefix: 'compat:',
          locks: ['item', 'audit'],
          idempotency: ['orders'],
        }),
      ],
    };
  }
}
