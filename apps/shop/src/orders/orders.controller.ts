import { Body, Controller, Get, Headers, NotFoundException, Param, Post, Query, Res } from '@nestjs/common';
import { Idempotent } from 'nestjs-bedrock';
import type { ServerResponse } from 'node:http';
import type { Order, OrderList, OrderRequest } from '../common/contract.js';
import { LimitPipe } from '../common/limit.pipe.js';
import { OrderRepository } from './order.repository.js';
import { OrdersService } from './orders.service.js';
import { OrderPipe } from './order.pipe.js';
import { requestKeyOf } from './request-key.js';

/** Orders. */
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly repository: OrderRepository,
  ) {}

  /**
   * 201 with the order when it is confirmed or failed; 202 while it is pending: `GET` of its Location then shows the
   * outcome. A repeated request under the same Idempotency-Key gets the same response. A refused request leaves its key
   * free.
   */
  @Post()
  @Idempotent({ idempotency: 'orders', operation: 'orders.place', scope: 'shop', storeIf: () => false })
  async place(
    @Headers('idempotency-key') header: string,
    @Body(OrderPipe) request: OrderRequest,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<Order> {
    const order = await this.orders.place(requestKeyOf(header), request);
    response.statusCode = order.status === 'pending' ? 202 : 201;
    response.setHeader('Location', `/orders/${order.id}`);
    return order;
  }

  @Get()
  list(@Query('limit', LimitPipe) limit: number): Promise<OrderList> {
    return this.repository.list(limit);
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<Order> {
    const order = await this.repository.find(id);
    if (order === undefined) throw new NotFoundException('there is no such order');
    return order;
  }
}
