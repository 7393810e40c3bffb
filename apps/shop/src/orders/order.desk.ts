import { Injectable, Logger, UnprocessableEntityException } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order, OrderRequest } from '../common/contract.js';
import { OrderBook } from './order.book.js';
import { OrderNews } from './order.news.js';
import { OrderSettings } from './order.settings.js';
import { SettlementService } from './settlement.service.js';

/** Takes orders. */
@Injectable()
export class OrderDesk {
  readonly #log = new Logger(OrderDesk.name);

  constructor(
    private readonly book: OrderBook,
    private readonly settlement: SettlementService,
    private readonly news: OrderNews,
    private readonly settings: OrderSettings,
  ) {}

  /**
   * The order of this request, made now or before: settled, or still pending after `answerWithinMs`.
   * @throws UnprocessableEntityException when the key belongs to another request; DatabaseError
   */
  async place(requestKey: string, request: OrderRequest): Promise<Order> {
    const { order, isNew } = await this.book.create(requestKey, request);
    if (isNew) this.news.next({ order });
    else if (!isOf(order, request))
      throw new UnprocessableEntityException('the key belongs to another order');
    if (order.status !== 'pending') return order;
    await this.#settleInTime(order);
    return (await this.book.find(order.id)) ?? order;
  }

  /** Whoever does not wait to the end leaves it to the settlement, and that to the reconciler. */
  async #settleInTime(order: Order): Promise<void> {
    const settling = this.settlement.settle(order).catch((error: unknown) => {
      this.#log.warn(`order ${order.id} stays pending: ${String(error)}`);
    });
    const timer = new AbortController();
    const patience = sleep(this.settings.answerWithinMs, undefined, { signal: timer.signal }).catch(
      () => undefined,
    );
    await Promise.race([settling, patience]);
    timer.abort();
  }
}

function isOf({ customer, lines }: Order, request: OrderRequest): boolean {
  const textOf = (one: OrderRequest) =>
    JSON.stringify([one.customer, one.lines.map(({ goodsId, quantity }) => [goodsId, quantity])]);
  return textOf({ customer, lines }) === textOf(request);
}
