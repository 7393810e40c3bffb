import { Injectable } from '@nestjs/common';
import { Mutex } from 'bedrock-lock';
import { currentLease, DistributedLock, Idempotent, InjectLock } from 'nestjs-bedrock';

/** A provider with every kind of decorated method. */
@Injectable()
export class Orders {
  constructor(@InjectLock('audit') readonly audit: Mutex) {}

  @DistributedLock({ lock: 'order', key: '{0.id}' })
  async place(order: { id: string }): Promise<string | undefined> {
    return currentLease()?.resource ?? `${order.id} without a lock`;
  }

  @DistributedLock('audit')
  async review(): Promise<string | undefined> {
    return currentLease()?.resource;
  }

  @DistributedLock({ lock: 'order', keys: (...ids: string[]) => ids })
  async many(...ids: string[]): Promise<number> {
    return ids.length;
  }

  runs = 0;

  @Idempotent({ idempotency: 'orders', key: '{0}' })
  async once(id: string): Promise<string> {
    this.runs += 1;
    return id;
  }
}
