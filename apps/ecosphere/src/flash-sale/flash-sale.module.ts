import { Module } from '@nestjs/common';
import { Crowd } from './crowd.js';
import { FlashSaleService } from './flash-sale.service.js';
import { SaleLedger } from './sale.ledger.js';
import { StockStore } from './stock.store.js';

@Module({ providers: [StockStore, SaleLedger, FlashSaleService, Crowd] })
export class FlashSaleModule {}
