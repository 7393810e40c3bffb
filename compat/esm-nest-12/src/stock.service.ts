import { Injectable } from '@nestjs/common';
import { Mutex } from 'bedrock-lock';
import { currentLease, DistributedLock, InjectLock } from 'nestjs-bedrock';
import { concat, defer, Observable, of } from 'rxjs';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Item {
  readonly id: string;
}

@Injectable()
export class StockService {
  left = 50;
  /** How many calls of `sell` were inside at once, at most. */
  crowd = 0;
  private inside = 0;

  constructor(@InjectLock('audit') private readonly audit: Mutex) {}

  /** Oversells unless it is locked. */
  @DistributedLock({ lock: 'item', key: '{0.id}' })
  async sell(item: Item): Promise<boolean> {
    this.inside += 1;
    this.crowd = Math.max(this.crowd, this.inside);
    const seen = this.left;
    await nextTurn();
    if (seen > 0) this.left = seen - 1;
    const isNested = await this.isHeld(item);
    this.inside -= 1;
    return isNested;
  }

  /** Enters at once when the caller holds the lock already. */
  @DistributedLock({ lock: 'item', key: '{0.id}', waitMs: 0 })
  async isHeld(_item: Item): Promise<boolean> {
    return currentLease()?.isHeld === true;
  }

  @DistributedLock('audit')
  report(): Observable<string> {
    const resource = defer(() => of(currentLease()?.resource ?? 'not locked'));
    return concat(resource, of('done'));
  }

  /** Answers without doing it when somebody else is at it. */
  @DistributedLock({ lock: 'audit', onBusy: 'skip' })
  async auditOnce(): Promise<string | undefined> {
    return 'audited';
  }

  /** The injected lock by hand; the decorated method finds it busy. */
  async auditByHand(): Promise<string> {
    return this.audit.run(() => 'audited');
  }
}
