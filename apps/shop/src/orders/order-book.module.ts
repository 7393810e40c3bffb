import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../common/database.js';
import { OrderBook } from './order.book.js';
import { OrderNews } from './order.news.js';
import { ORDER_SCHEMA } from './order.schema.js';
import { OrderSettings } from './order.settings.js';

/** What every module of the order service may inject: its settings, its book and its news. */
@Module({})
export class OrderBookModule implements OnApplicationShutdown {
  static register(settings: OrderSettings): DynamicModule {
    const { databaseUrl, database } = settings;
    return {
      module: OrderBookModule,
      global: true,
      providers: [
        { provide: OrderSettings, useValue: settings },
        { provide: Database, useFactory: () => Database.open(databaseUrl, database, ORDER_SCHEMA) },
        OrderBook,
        OrderNews,
      ],
      exports: [OrderSettings, Database, OrderBook, OrderNews],
    };
  }

  constructor(private readonly database: Database) {}

  /** Last of all: orders are written until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}
