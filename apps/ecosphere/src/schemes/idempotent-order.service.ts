import { Injectable } from '@nestjs/common';
import { Idempotency, type IdempotentResult } from 'bedrock-lock';
import { InjectIdempotency } from 'nestjs-bedrock';
import { Database } from './database.js';
import type { Order } from './order.js';

/** Bedrock as an alternative to the duplicate table: a repetition is not refused, but gets the first answer. */
@Injectable()
export class IdempotentOrderService {
  constructor(
    private readonly database: Database,
    @InjectIdempotency('orders') private readonly requests: Idempotency,
  ) {}

  /** The number of the order, created now or by the first request. */
  addOrder(order: Order): Promise<IdempotentResult<number>> {
    return this.requests.run({ key: order.id, payload: order }, () => this.#insert(order));
  }

  /** Removes the record of the order. */
  async forget(order: Order): Promise<void> {
    await this.requests.forget(order.id);
  }

  async #insert({ id, goodsId, num }: Order): Promise<number> {
    const { insertId } = await this.database.session((link) =>
      link.change('insert into tb_order (id, goods_id, num) values (?, ?, ?)', [id, goodsId, num]),
    );
    return insertId;
  }
}
