import { Injectable } from '@nestjs/common';
import { LockLostError, type Lease } from 'bedrock-lock';
import { currentLease, DistributedLock } from 'nestjs-bedrock';
import { COUNTER_LOCK } from './bounds.js';
import type { PurchaseOrder } from './purchase.order.js';
import { SaleRepository, type Entry } from './sale.repository.js';

/** The outcomes that a buyer can get. */
export type Purchase = Exclude<Entry, { readonly kind: 'stale' }>;

/** The counter of the shop. */
@Injectable()
export class CounterService {
  constructor(private readonly repository: SaleRepository) {}

  /**
   * Sells one item if one is left. One buyer at a time, across all processes.
   * @throws LockLostError if another process has been at the counter since: this turn sold nothing
   */
  @DistributedLock(COUNTER_LOCK.name)
  async purchase(order: PurchaseOrder): Promise<Purchase> {
    const lease = currentLease()!;
    const look = await this.repository.look(lease.token, order);
    if (look.kind === 'stale') throw overtaken(lease);
    if (look.kind === 'sold') return { kind: 'repeated', sale: look.sale };
    if (look.left <= 0) return { kind: 'soldOut' };
    // No check of the lease before writing: it may end on the way, and the book checks the token.
    const entry = await this.repository.sell({ token: lease.token, seen: look.left }, order);
    if (entry.kind === 'stale') throw overtaken(lease);
    return entry;
  }
}

function overtaken({ resource, isHeld, heldMs }: Lease): LockLostError {
  return new LockLostError(resource, isHeld ? 'taken' : 'expired', heldMs);
}
