import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DistributedLock } from 'nestjs-bedrock';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, Order } from '../common/contract.js';
import { OrderRepository, type Ending } from './order.repository.js';
import { OrderChanges } from './order.changes.js';
import { OrderSettings } from './order.settings.js';
import { StockUnansweredError } from './stock-unanswered.error.js';
import { StockClient } from './stock.client.js';

/**
 * Finds out the outcome of pending orders. An order fails only when its operation is known to never deduct: it was
 * refused, or the stock service has cancelled it.
 */
@Injectable()
export class SettlementService implements OnModuleDestroy {
  readonly #closing = new AbortController();

  constructor(
    private readonly stock: StockClient,
    private readonly repository: OrderRepository,
    private readonly changes: OrderChanges,
    private readonly settings: OrderSettings,
  ) {
    // One listener per concurrent order; Node warns about more than ten.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborts when the application closes: pending orders stay pending, and the next start continues with them. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  onModuleDestroy(): void {
    this.#closing.abort();
  }

  /**
   * Settles an order; it stays pending if the stock service is unreachable. Skipped while another caller settles it, in
   * this process or another. That only avoids duplicate work: safety comes from the order's operation id, which all of
   * them use.
   */
  @DistributedLock({ lock: 'order', key: '{0.id}', onBusy: 'skip' })
  async settle(order: Order): Promise<void> {
    const operation = await this.#outcomeOf(order).catch((error: unknown) => {
      if (error instanceof StockUnansweredError || this.closing.aborted) return undefined;
      throw error;
    });
    if (operation === undefined) return;
    const settled = await this.repository.settle(order.id, endingOf(operation));
    if (settled !== undefined) this.changes.next({ order: settled });
  }

  async #outcomeOf({ operationId, lines }: Order): Promise<Operation> {
    const { closing } = this;
    try {
      return await this.stock.deduct(operationId, lines, closing);
    } catch (error) {
      if (!(error instanceof StockUnansweredError)) throw error;
    }
    return (
      (await this.#lookBack(operationId)) ??
      // The deduction may still be in flight: failing the order now could sell without an order.
      (await this.stock.cancel(operationId, closing))
    );
  }

  async #lookBack(operationId: string): Promise<Operation | undefined> {
    for (const pauseMs of this.settings.lookBackMs) {
      await sleep(pauseMs, undefined, { signal: this.closing });
      try {
        const found = await this.stock.look(operationId, this.closing);
        if (found !== undefined) return found;
      } catch (error) {
        if (!(error instanceof StockUnansweredError)) throw error;
      }
    }
    return undefined;
  }
}

function endingOf({ state, reason }: Operation): Ending {
  if (state === 'deducted') return { status: 'confirmed' };
  const usual =
    state === 'refused' ? 'the stock service refused' : 'the stock service did not answer in time';
  return { status: 'failed', reason: state === 'refused' ? (reason ?? usual) : usual };
}
