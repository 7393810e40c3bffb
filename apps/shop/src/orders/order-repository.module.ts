import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../common/database.js';
import { OrderRepository } from './order.repository.js';
import { OrderChanges } from './order.changes.js';
import { ORDER_SCHEMA } from './order.schema.js';
import { OrderSettings } from './order.settings.js';

/** Providers for every module of the order service: its settings, its repository and its changes. */
@Module({})
export class OrderRepositoryModule implements OnApplicationShutdown {
  static register(settings: OrderSettings): DynamicModule {
    const { databaseUrl, database } = settings;
    return {
      module: OrderRepositoryModule,
      global: true,
      providers: [
        { provide: OrderSettings, useValue: settings },
        { provide: Database, useFactory: () => Database.open(databaseUrl, database, ORDER_SCHEMA) },
        OrderRepository,
        OrderChanges,
      ],
      exports: [OrderSettings, Database, OrderRepository, OrderChanges],
    };
  }

  constructor(private readonly database: Database) {}

  /** Last of all: orders are written until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
