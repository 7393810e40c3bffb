import { Lock, type KeyPart } from './lock.js';

/**
 * A mutex that serves callers in order of arrival, across all processes: each of them joins the
 * queue of the backend. Created once by `bedrock.fairMutex(name)` and used everywhere. Every turn
 * costs round trips. Where it is enough that processes take turns, a `Mutex` is far faster.
 */
export class FairMutex extends Lock {
  override for(...key: [KeyPart, ...KeyPart[]]): FairMutex {
    return new FairMutex(this.engine, this.name, this.narrowed(key), this.settings);
  }
}
