import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order } from '../common/contract.js';
import { OrderRepository } from './order.repository.js';
import { OrderSettings } from './order.settings.js';
import { SettlementService } from './settlement.service.js';
import { StockClient } from './stock.client.js';

/** Most orders of one round. */
const MOST = 100;
/** How many are settled at a time. */
const AT_ONCE = 8;

/**
 * Settles abandoned orders: those of a dead process, and those whose stock service was unreachable. Continues until
 * each outcome is known. At the start it takes all pending orders; later those that have been pending for a while.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log = new Logger(Reconciler.name);
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: OrderRepository,
    private readonly settlement: SettlementService,
    private readonly stock: StockClient,
    private readonly settings: OrderSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.#running = this.#run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { closing } = this.settlement;
    const { reconcileMs } = this.settings;
    for (let forMs = 0; !closing.aborted; forMs = reconcileMs) {
      await this.#round(forMs).catch((error: unknown) => {
        this.#log.warn(`pending orders wait for the next round: ${String(error)}`);
      });
      await sleep(reconcileMs, undefined, { signal: closing }).catch(() => undefined);
    }
  }

  async #round(forMs: number): Promise<void> {
    const { closing } = this.settlement;
    const orders = (await this.repository.pending(forMs, MOST)).values();
    const work = async () => {
      for (const order of orders) {
        // Each order would wait in vain for an unavailable service.
        if (closing.aborted || !(await this.stock.isThere(closing))) return;
        await this.#settle(order);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #settle(order: Order): Promise<void> {
    await this.settlement.settle(order).catch((error: unknown) => {
      this.#log.warn(`order ${order.id} stays pending: ${String(error)}`);
    });
  }
}
