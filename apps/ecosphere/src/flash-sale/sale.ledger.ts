import { Injectable } from '@nestjs/common';
import { SectionLog } from '../referee/section-log.js';
import type { Visit } from './visit.js';

/**
 * The true course of events, recorded by the process itself. No await separates a sale from its entry, so it is right
 * even if the stock is not.
 */
@Injectable()
export class SaleLedger {
  readonly sections = new SectionLog();
  readonly waitsMs: number[] = [];
  readonly #sales = new Map<number, number>();
  turnedAway = 0;

  enter({ askedAt }: Visit): number {
    const section = this.sections.enter();
    this.waitsMs.push((this.sections.enteredAt(section) - askedAt) / 1e6);
    return section;
  }

  recordSale({ buyer }: Visit): void {
    this.#sales.set(buyer, (this.#sales.get(buyer) ?? 0) + 1);
  }

  /** Sales of each buyer, including 0 for a buyer without a purchase. */
  salesOf(buyers: number): number[] {
    return Array.from({ length: buyers }, (_, buyer) => this.#sales.get(buyer) ?? 0);
  }
}
