import { randomUUID } from 'node:crypto';
import type { OrderRequest } from '../common/contract.js';

/** A planned order. */
export interface PlannedOrder {
  /** Idempotency-Key of all its requests. */
  readonly key: string;
  /** How many requests are sent at once: 2 for a repeated one. */
  readonly times: 1 | 2;
  readonly request: OrderRequest;
}

/** The orders, and the stock for them. */
export interface Plan {
  readonly orders: readonly PlannedOrder[];
  readonly stock: ReadonlyMap<string, number>;
}

const NAMES = ['apple', 'pear', 'plum', 'cherry', 'grape', 'fig', 'melon', 'lemon', 'peach', 'quince'];
const CUSTOMERS = ['Ada', 'Barbara', 'Edsger', 'Grace', 'Leslie', 'Margaret', 'Nancy', 'Tony'];
const REPEATED_EVERY = 5;
/** The first of five goods runs out; the others suffice. */
const SCARCE_EVERY = 5;
const SCARCE = 0.4;
const AMPLE = 1.2;

/**
 * Orders of 1 to 3 lines, every fifth of them sent twice. The same numbers give the same orders, except for their keys.
 */
export function planOrders(orders: number, goods: number): Plan {
  const names = Array.from({ length: goods }, (_, at) => nameOf(at));
  const demand = new Map(names.map((name) => [name, 0]));
  const planned = Array.from({ length: orders }, (_, at): PlannedOrder => {
    const lines = Array.from({ length: Math.min(goods, 1 + (at % 3)) }, (_line, position) => {
      const goodsId = names[(at * 7 + Math.floor(at / goods) + position) % goods]!;
      return { goodsId, quantity: 1 + ((at + position) % 2) };
    });
    for (const { goodsId, quantity } of lines) demand.set(goodsId, demand.get(goodsId)! + quantity);
    return {
      key: randomUUID(),
      times: at % REPEATED_EVERY === 0 ? 2 : 1,
      request: { customer: CUSTOMERS[at % CUSTOMERS.length]!, lines },
    };
  });
  const stock = names.map((name, at) => {
    const share = at % SCARCE_EVERY === 0 ? SCARCE : AMPLE;
    return [name, Math.ceil(demand.get(name)! * share)] as const;
  });
  return { orders: planned, stock: new Map(stock) };
}

function nameOf(at: number): string {
  const round = Math.floor(at / NAMES.length);
  return `${NAMES[at % NAMES.length]!}${round === 0 ? '' : `-${round + 1}`}`;
}
