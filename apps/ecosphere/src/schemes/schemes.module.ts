import { Module, type DynamicModule } from '@nestjs/common';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule } from 'nestjs-bedrock';
import { Database } from './database.js';
import { DuplicateTableService } from './duplicate-table.service.js';
import { IdempotentOrderService } from './idempotent-order.service.js';
import { OptimisticConditionService } from './optimistic-condition.service.js';
import { OptimisticVersionService } from './optimistic-version.service.js';
import { PessimisticRowsService } from './pessimistic-rows.service.js';
import { SelectThenInsertService } from './select-then-insert.service.js';
import { Tables } from './tables.js';

/** External settings of the business. */
export interface SchemesSettings {
  readonly databaseUrl: string;
  /** Number of connections to the database. */
  readonly connections: number;
  /** The Redis of the locks. */
  readonly redisUrl: string;
  readonly prefix: string;
  readonly leaseMs: number;
}

/** A business on a database: every scheme is a service, with Bedrock beside it. */
@Module({})
export class SchemesModule {
  static register({ databaseUrl, connections, redisUrl, prefix, leaseMs }: SchemesSettings): DynamicModule {
    return {
      module: SchemesModule,
      imports: [
        BedrockLockModule.forRoot({
          backend: () => redis({ url: redisUrl, label: 'schemes' }),
          prefix,
          // No caller gives up unless the server is gone; then the run must still end.
          defaults: { leaseMs, waitMs: 30_000 },
          locks: ['order', 'stock', 'account'],
          idempotency: [{ name: 'orders', leaseMs, waitMs: 30_000, keepMs: 60_000 }],
        }),
      ],
      providers: [
        { provide: Database, useFactory: () => new Database(databaseUrl, connections) },
        Tables,
        DuplicateTableService,
        IdempotentOrderService,
        SelectThenInsertService,
        OptimisticVersionService,
        OptimisticConditionService,
        PessimisticRowsService,
      ],
    };
  }
}
