import { Body, Controller, Get, Post, Res, UnprocessableEntityException } from '@nestjs/common';
import { BedrockService } from 'nestjs-bedrock';
import type { ServerResponse } from 'node:http';
import { CounterService } from './counter.service.js';
import type { PurchaseOrder } from './purchase.order.js';
import { PurchasePipe } from './purchase.pipe.js';
import { SaleRepository } from './sale.repository.js';
import type { Balance, Sale } from './sale.js';

/** Answers to a buyer. */
export type Answer =
  | { readonly sold: true; readonly sale: Sale; readonly left: number }
  | { readonly sold: false; readonly left: 0 };

/** The sale, and the load of the process that answers. */
export interface Figures extends Balance {
  /** Sales without an item from the stock. */
  readonly oversold: number;
  readonly shop: {
    readonly process: number;
    readonly waiting: number;
    readonly holding: number;
    readonly turns: number;
    readonly handOvers: number;
    readonly lockCommands: number;
  };
}

@Controller('flash-sale')
export class SaleController {
  constructor(
    private readonly counter: CounterService,
    private readonly repository: SaleRepository,
    private readonly bedrock: BedrockService,
  ) {}

  /** 201 for the request that made the sale; 200 for a repeated one, and when nothing is left. */
  @Post('purchase')
  async purchase(
    @Body(PurchasePipe) order: PurchaseOrder,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<Answer> {
    const purchase = await this.counter.purchase(order);
    response.statusCode = purchase.kind === 'sold' ? 201 : 200;
    if (purchase.kind === 'soldOut') return { sold: false, left: 0 };
    const { sale } = purchase;
    if (sale.buyer !== order.buyer) throw foreignRequest();
    return { sold: true, sale, left: sale.left };
  }

  @Get()
  async figures(): Promise<Figures> {
    const balance = await this.repository.balance();
    const bedrock = this.bedrock.bedrock();
    const { waiters, holds, grants, handOvers } = bedrock.stats();
    return {
      ...balance,
      oversold: balance.sold - (balance.stock - balance.left),
      shop: {
        process: process.pid,
        waiting: waiters,
        holding: holds,
        turns: grants,
        handOvers,
        lockCommands: bedrock.backend.commands,
      },
    };
  }
}

/** Another buyer's sale is not shown. */
function foreignRequest(): UnprocessableEntityException {
  return new UnprocessableEntityException({
    statusCode: 422,
    error: 'Unprocessable Entity',
    field: 'requestId',
    message: 'requestId must be unique to this buyer: another buyer has used it',
  });
}
