import { Module } from '@nestjs/common';
import { NodeLog } from '../chaos/node.log.js';
import { Buyers } from './buyers.js';
import { FlashSaleService } from './flash-sale.service.js';
import { SaleLedger } from './sale.ledger.js';
import { StockStore } from './stock.store.js';

@Module({ providers: [StockStore, SaleLedger, NodeLog, FlashSaleService, Buyers] })
export class FlashSaleModule {}
