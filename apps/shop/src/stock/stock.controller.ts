import { Controller, Get, Query } from '@nestjs/common';
import type { Balance, FlowList, StockBooks, StockRow } from '../common/contract.js';
import { LimitPipe } from '../common/limit.pipe.js';
import { StockBooksService } from './stock.books.service.js';

/** The readable state. Each response is of one snapshot. */
@Controller()
export class StockController {
  constructor(private readonly books: StockBooksService) {}

  @Get('stock')
  stock(): Promise<readonly StockRow[]> {
    return this.books.stock();
  }

  @Get('flows')
  flows(@Query('limit', LimitPipe) limit: number): Promise<FlowList> {
    return this.books.flows(limit);
  }

  /** Stock and flows together, which must agree. */
  @Get('books')
  all(@Query('limit', LimitPipe) limit: number): Promise<StockBooks> {
    return this.books.books(limit);
  }

  @Get('balance')
  balance(): Promise<Balance> {
    return this.books.balance();
  }
}
