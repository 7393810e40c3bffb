import { Injectable } from '@nestjs/common';
import { monotonicNs } from '../referee/section-log.js';
import { FlashSaleService } from './flash-sale.service.js';
import type { Visit } from './visit.js';

export interface CrowdOrder {
  readonly buyers: number;
  readonly purchases: number;
  readonly isLocked: boolean;
}

/**
 * The buyers of one process. All come at once; each asks, buys and asks again, until the purchases of the process are
 * used up. So how often a buyer got in tells how fair the queue was.
 */
@Injectable()
export class Crowd {
  constructor(private readonly counter: FlashSaleService) {}

  /** @returns why purchases failed; with a working lock, none does */
  async shop(order: CrowdOrder, onPurchase: () => void): Promise<readonly string[]> {
    const failures: string[] = [];
    let left = order.purchases;
    const shopper = async (buyer: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        try {
          await this.#buy(order, { buyer, askedAt: monotonicNs() });
        } catch (error) {
          failures.push(error instanceof Error ? error.message : String(error));
        }
        onPurchase();
      }
    };
    await Promise.all(Array.from({ length: order.buyers }, (_, buyer) => shopper(buyer)));
    return failures;
  }

  #buy({ isLocked }: CrowdOrder, visit: Visit): Promise<void> {
    return isLocked ? this.counter.buy(visit) : this.counter.buyUnlocked(visit);
  }
}
