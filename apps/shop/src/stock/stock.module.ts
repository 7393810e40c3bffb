import { Module, type DynamicModule, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule } from 'nestjs-bedrock';
import { Database } from '../common/database.js';
import { HealthController } from '../common/health.controller.js';
import { UnavailableFilter } from '../common/unavailable.filter.js';
import { openLockBackend } from './lock-backend.js';
import { OperationRepository } from './operation.repository.js';
import { OperationsController } from './operations.controller.js';
import { OperationsService } from './operations.service.js';
import { StockBooksService } from './stock.books.service.js';
import { StockController } from './stock.controller.js';
import { STOCK_SCHEMA } from './stock.schema.js';
import { StockSettings } from './stock.settings.js';

/** How long deductions may finish when the service closes, in ms. */
const CLOSING_MS = 3_000;

/**
 * The stock service: its locks are on the backend of the settings, its idempotency records on Redis, its books in a
 * database of its own.
 */
@Module({})
export class StockModule implements OnModuleInit, OnApplicationShutdown {
  static register(settings: StockSettings): DynamicModule {
    const { databaseUrl, database, redisUrl, locksBackend, locksUrl, leaseMs, waitMs } = settings;
    return {
      module: StockModule,
      imports: [
        BedrockLockModule.forRootAsync({
          backends: ['default', 'records'],
          locks: ['goods'],
          idempotency: [{ name: 'operations', backend: 'records' }],
          useFactory: async () => ({
            backends: {
              default: await openLockBackend(locksBackend, locksUrl),
              records: redis({ url: redisUrl.href, label: 'stock' }),
            },
            prefix: 'shop:',
            // A client that gave up retries, or looks the operation up: the operation continues meanwhile.
            interceptor: { abortOnDisconnect: false },
            locks: [{ name: 'goods', leaseMs, waitMs }],
            // The key of the book is decisive: without records, the work continues.
            idempotency: [{ name: 'operations', backend: 'records', leaseMs, onUnavailable: 'run' as const }],
            shutdownGraceMs: CLOSING_MS,
            allowInProcessLocks: true,
          }),
        }),
      ],
      controllers: [OperationsController, StockController, HealthController],
      providers: [
        { provide: StockSettings, useValue: settings },
        { provide: Database, useFactory: () => Database.open(databaseUrl, database, STOCK_SCHEMA) },
        { provide: APP_FILTER, useClass: UnavailableFilter },
        OperationRepository,
        OperationsService,
        StockBooksService,
      ],
    };
  }

  constructor(
    private readonly settings: StockSettings,
    private readonly books: StockBooksService,
    private readonly database: Database,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.books.add(this.settings.stock);
  }

  /** Last of all: deductions write until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
