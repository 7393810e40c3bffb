import { Injectable } from '@nestjs/common';
import { currentLease } from 'bedrock-lock';
import { DistributedLock } from 'nestjs-bedrock';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/** Work that takes longer than a lease, as the holder sees it. */
export interface LongWork {
  readonly ms: number;
  /** Whether the work continues after that. */
  readonly goesOn: () => boolean;
  /** Called at the start, when the lock is held. */
  readonly onHeld: () => void;
  /** Called at each check of the lease. */
  readonly onLook: (isHeld: boolean) => void;
}

/** Holds the lock for several leases. */
@Injectable()
export class LockDelayService {
  /** With renewal, the default of every lock. */
  @DistributedLock('lock-delay')
  async work(work: LongWork): Promise<void> {
    await this.#work(work);
  }

  /** With a fixed lease: it ends during the work, and the caller gets an error. */
  @DistributedLock({ lock: 'lock-delay', renew: false })
  async workOnFixedLease(work: LongWork): Promise<void> {
    await this.#work(work);
  }

  async #work({ ms, goesOn, onHeld, onLook }: LongWork): Promise<void> {
    const lease = currentLease()!;
    const end = performance.now() + ms;
    onHeld();
    while (performance.now() < end || goesOn()) {
      onLook(lease.isHeld);
      await sleep(LOOK_EVERY_MS);
    }
    onLook(lease.isHeld);
  }
}
