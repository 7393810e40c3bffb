import { Injectable } from '@nestjs/common';
import { DistributedLock } from 'nestjs-bedrock';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeLog } from '../chaos/node.log.js';
import { SaleLedger } from './sale.ledger.js';
import { StockStore } from './stock.store.js';
import type { Visit } from './visit.js';

/** Duration of a slow purchase, in ms. */
const SLOW_MS = 3;

/** The counter of the shop. */
@Injectable()
export class FlashSaleService {
  constructor(
    private readonly stock: StockStore,
    private readonly ledger: SaleLedger,
    private readonly nodes: NodeLog,
  ) {}

  /** Sells one item if one is left. One customer at a time, across all processes. */
  @DistributedLock('flash-sale')
  async buy(visit: Visit): Promise<void> {
    await this.#sell(visit);
  }

  /** The same without the lock, to show its purpose. */
  async buyUnlocked(visit: Visit): Promise<void> {
    await this.#sell(visit);
  }

  async #sell(visit: Visit): Promise<void> {
    const section = this.ledger.enter(visit);
    try {
      const left = await this.stock.read();
      if (visit.isSlow && !this.nodes.isOneBack) await sleep(SLOW_MS);
      if (left > 0) {
        await this.stock.write(left - 1);
        this.ledger.recordSale(visit);
      } else {
        this.ledger.turnedAway += 1;
      }
    } finally {
      this.ledger.sections.leave(section);
    }
  }
}
