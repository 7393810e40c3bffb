import type { Frame } from '../../engine/call-chain/frames.js';
import { Lock, type KeyPart } from './lock.js';

/** The side of a `ReadWriteLock` that any number of holders have at a time, while there is no writer. */
export class ReadLock extends Lock {
  override for(...key: [KeyPart, ...KeyPart[]]): ReadLock {
    return new ReadLock(this.engine, this.name, this.narrowed(key), this.settings);
  }

  /** @internal */
  protected override depthIn({ depth, writers }: Frame): number {
    return depth - writers;
  }
}
