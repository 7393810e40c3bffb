import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule } from 'nestjs-bedrock';
import { HealthController } from '../common/health.controller.js';
import { UnavailableFilter } from '../common/unavailable.filter.js';
import type { PageSource } from '../page/page-source.js';
import { PageModule } from '../page/page.module.js';
import { OrderRepositoryModule } from './order-repository.module.js';
import { OrderRepository } from './order.repository.js';
import { OrdersService } from './orders.service.js';
import { OrderChanges } from './order.changes.js';
import { OrderSettings } from './order.settings.js';
import { OrdersController } from './orders.controller.js';
import { Reconciler } from './reconciler.js';
import { SettlementService } from './settlement.service.js';
import { StockClient } from './stock.client.js';

/**
 * How long settlements may finish when the service closes, in ms: they get the signal to stop, and leave orders
 * pending.
 */
const CLOSING_MS = 3_000;

/** The order service: records of requests and locks on orders are on Redis, the orders in a database of its own. */
@Module({})
export class OrdersModule {
  static register(settings: OrderSettings): DynamicModule {
    const { redisUrl, leaseMs, answerWithinMs } = settings;
    return {
      module: OrdersModule,
      imports: [
        OrderRepositoryModule.register(settings),
        BedrockLockModule.forRoot({
          backend: () => redis({ url: redisUrl.href, label: 'orders' }),
          prefix: 'shop:',
          locks: [{ name: 'order', leaseMs }],
          // A repetition waits as long as the first request may take.
          idempotency: [{ name: 'orders', leaseMs, waitMs: answerWithinMs + 1_000 }],
          shutdownGraceMs: CLOSING_MS,
        }),
        PageModule.over({
          inject: [OrderChanges, OrderRepository, OrderSettings],
          useFactory: (
            changes: OrderChanges,
            repository: OrderRepository,
            { stockUrl }: OrderSettings,
          ): PageSource => ({
            news: changes,
            orders: (limit) => repository.list(limit),
            stockUrl: stockUrl.href,
          }),
        }),
      ],
      controllers: [OrdersController, HealthController],
      providers: [
        { provide: APP_FILTER, useClass: UnavailableFilter },
        OrdersService,
        Reconciler,
        SettlementService,
        StockClient,
      ],
    };
  }
}
