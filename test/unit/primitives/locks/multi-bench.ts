import { multiLock, type LockOptions, type MultiLock, type Mutex } from 'bedrock-lock';
import { Bench } from '../../engine/bench.js';

/** A bench for several locks: `r:a`, `r:b`, … */
export class MultiBench extends Bench {
  /** The locks of this process. */
  locks(keys: string, options?: LockOptions): Mutex[] {
    return [...keys].map((key) => this.lock(options).for(key));
  }

  multi(keys: string, options?: LockOptions): MultiLock {
    return multiLock(this.locks(keys, options));
  }

  /** Locks that the store has granted, to any holder. */
  async granted(keys = 'abc'): Promise<string[]> {
    const held = await Promise.all(
      [...keys].map(async (key) => ((await this.grants(`r:${key}`)).length > 0 ? key : '')),
    );
    return held.filter(Boolean);
  }

  /** Every lock has to be asked for by itself, as on a backend that cannot decide several at once. */
  separately(): void {
    this.backend.plan('claimAll', { kind: 'answer', answer: { kind: 'separate' } }, Infinity);
  }

  /** The resources that were asked for by themselves. */
  asked(): string[] {
    return this.backend.callsOf('claim').map(({ input }) => input.resource);
  }
}
