import { Lock, type KeyPart } from './lock.js';

/**
 * A lock that one holder has at a time, over all processes that use the same backend. Processes take turns; inside of a
 * process, callers are served in order of arrival. Created once by `bedrock.mutex(name)` and used everywhere.
 */
export class Mutex extends Lock {
  override for(...key: [KeyPart, ...KeyPart[]]): Mutex {
    return new Mutex(this.engine, this.name, this.narrowed(key), this.settings);
  }
}
