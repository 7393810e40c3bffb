import {
  Inject,
  Module,
  type DynamicModule,
  type MiddlewareConsumer,
  type NestModule,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { redis } from 'bedrock-lock/redis';
import { BedrockLockModule } from 'nestjs-bedrock';
import { CLOSING_MS, COUNTER_LOCK } from './bounds.js';
import { CounterService } from './counter.service.js';
import { OpenAnswers } from './open-answers.js';
import { SaleRepository } from './sale.repository.js';
import { SaleController } from './sale.controller.js';
import { UnavailableFilter } from './unavailable.filter.js';

/** External settings of a shop. */
export interface ShopSettings {
  /** The Redis that all processes of the shop share. */
  readonly url: string;
  /** Items of a new sale. */
  readonly stock: number;
  /** Closes the shop's own server after the shop. */
  readonly onClosed?: () => Promise<void>;
}

const SETTINGS = Symbol('settings of the shop');

/** The shop as an HTTP application: one of several processes that all sell from one stock. */
@Module({})
export class ShopFrontModule implements NestModule, OnModuleInit, OnApplicationShutdown {
  static register(settings: ShopSettings): DynamicModule {
    const { url } = settings;
    return {
      module: ShopFrontModule,
      imports: [
        BedrockLockModule.forRoot({
          backend: () => redis({ url, label: 'shop' }),
          prefix: 'ecosphere:',
          locks: [COUNTER_LOCK],
          shutdownGraceMs: CLOSING_MS,
        }),
      ],
      controllers: [SaleController],
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: SaleRepository, useFactory: () => new SaleRepository(url) },
        { provide: APP_FILTER, useClass: UnavailableFilter },
        CounterService,
        OpenAnswers,
      ],
    };
  }

  constructor(
    @Inject(SETTINGS) private readonly settings: ShopSettings,
    private readonly repository: SaleRepository,
  ) {}

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(OpenAnswers).forRoutes(SaleController);
  }

  async onModuleInit(): Promise<void> {
    await this.repository.open(this.settings.stock);
  }

  /** Last of all: a buyer at the counter still writes into the book while the other hooks run. */
  async onApplicationShutdown(): Promise<void> {
    this.repository.close();
    await this.settings.onClosed?.();
  }
}
