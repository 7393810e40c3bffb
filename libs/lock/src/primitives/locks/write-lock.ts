import { LockUpgradeError } from '../../core/errors.js';
import type { CallOptions } from '../../core/options/options.js';
import { frameOn, type Frame } from '../../engine/call-chain/frames.js';
import type { Lease } from '../../engine/holding/lease.js';
import { WriteLease } from '../../engine/holding/write-lease.js';
import { Lock, type KeyPart } from './lock.js';

/**
 * The side of a `ReadWriteLock` that one holder has at a time, while there is no reader. A writer
 * may read too. A reader may not begin to write, since it would wait for its own reading to end.
 */
export class WriteLock extends Lock {
  override for(...key: [KeyPart, ...KeyPart[]]): WriteLock {
    return new WriteLock(this.engine, this.name, this.narrowed(key), this.settings);
  }

  /** As `Lock.run()`. @throws LockUpgradeError at once under a `read.run` of the same call chain */
  override run<T>(fn: (lease: WriteLease) => T | Promise<T>, options?: CallOptions): Promise<T> {
    return super.run(fn as (lease: Lease) => T | Promise<T>, options);
  }

  /** As `Lock.acquire()`. @throws LockUpgradeError at once under a `read.run` of the same call chain */
  override acquire(options?: CallOptions): Promise<WriteLease> {
    return super.acquire(options) as Promise<WriteLease>;
  }

  override tryAcquire(options?: Omit<CallOptions, 'waitMs'>): Promise<WriteLease | null> {
    return super.tryAcquire(options) as Promise<WriteLease | null>;
  }

  /** @internal */
  protected override depthIn({ writers }: Frame): number {
    return writers;
  }

  /** @internal */
  protected override assertNestable({ lease }: Frame): void {
    if (!(lease instanceof WriteLease && lease.isExclusive)) throw new LockUpgradeError(this.resource);
  }

  /** @internal */
  protected override assertAcquirable(): void {
    const outer = frameOn(this.engine, this.resource);
    if (outer !== undefined) this.assertNestable(outer);
    super.assertAcquirable();
  }
}
