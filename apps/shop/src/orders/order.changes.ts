import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { OrderChange } from '../common/contract.js';

/** The changes of orders that this process made, as they happen. It completes when the application closes. */
@Injectable()
export class OrderChanges extends Subject<OrderChange> implements OnModuleDestroy {
  onModuleDestroy(): void {
    this.complete();
  }
}
