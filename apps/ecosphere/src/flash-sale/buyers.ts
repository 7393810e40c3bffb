import { Injectable } from '@nestjs/common';
import { QUIET_SHARE } from '../chaos/node-chaos.js';
import { monotonicNs } from '../referee/section-log.js';
import { reasonOf } from '../report/reason-of.js';
import { FlashSaleService } from './flash-sale.service.js';
import type { Visit } from './visit.js';

export interface BuyersInput {
  readonly buyers: number;
  readonly purchases: number;
  readonly isLocked: boolean;
  /** True if a node is going to be killed. */
  readonly isChaotic: boolean;
}

/**
 * The buyers of one process. All arrive at once; each waits, buys and waits again, until the purchases of the process
 * are used up. So the number of a buyer's purchases shows how fair the queue was.
 */
@Injectable()
export class Buyers {
  constructor(private readonly counter: FlashSaleService) {}

  /** @returns the reasons of failed purchases; a buyer leaves after a failure */
  async shop(input: BuyersInput, onPurchase: () => void): Promise<readonly string[]> {
    let left = input.purchases;
    const slowBelow = input.isChaotic ? left * (1 - QUIET_SHARE) : 0;
    const shopper = async (buyer: number): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.#buy(input, { buyer, askedAt: monotonicNs(), isSlow: left < slowBelow });
        onPurchase();
      }
    };
    const shoppers = Array.from({ length: input.buyers }, (_, buyer) => shopper(buyer));
    const ends = await Promise.allSettled(shoppers);
    return ends.filter((end) => end.status === 'rejected').map((end) => reasonOf(end.reason));
  }

  #buy({ isLocked }: BuyersInput, visit: Visit): Promise<void> {
    return isLocked ? this.counter.buy(visit) : this.counter.buyUnlocked(visit);
  }
}
