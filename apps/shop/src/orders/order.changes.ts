import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { OrderChange } from '../common/contract.js';

/** The order changes of this process, as they happen. It completes when the application closes. */
@Injectable()
export class OrderChanges extends Subject<OrderChange> implements OnModuleDestroy {
  onModuleDestroy(): void {
    this.complete();
  }
}
