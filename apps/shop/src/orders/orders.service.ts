import { Injectable, Logger, UnprocessableEntityException } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Order, OrderRequest } from '../common/contract.js';
import { OrderRepository } from './order.repository.js';
import { OrderChanges } from './order.changes.js';
import { OrderSettings } from './order.settings.js';
import { SettlementService } from './settlement.service.js';

/** Accepts orders. */
@Injectable()
export class OrdersService {
  readonly #log = new Logger(OrdersService.name);

  constructor(
    private readonly repository: OrderRepository,
    private readonly settlement: SettlementService,
    private readonly changes: OrderChanges,
    private readonly settings: OrderSettings,
  ) {}

  /**
   * The order of this request, created now or before: settled, or still pending after `answerWithinMs`.
   * @throws UnprocessableEntityException if the key belongs to another request; DatabaseError
   */
  async place(requestKey: string, request: OrderRequest): Promise<Order> {
    const { order, isNew } = await this.repository.create(requestKey, request);
    if (isNew) this.changes.next({ order });
    else if (!isOf(order, request))
      throw new UnprocessableEntityException('the key belongs to another order');
    if (order.status !== 'pending') return order;
    await this.#settleInTime(order);
    return (await this.repository.find(order.id)) ?? order;
  }

  /** A caller that stops waiting leaves the order to the settlement, and then to the reconciler. */
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
