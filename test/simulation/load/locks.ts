import type { Bedrock } from '../../../libs/lock/src/bedrock.js';
import { READERS } from '../../../libs/lock/src/core/claim.js';
import type { CallOptions } from '../../../libs/lock/src/core/options/options.js';
import type { ReadLock } from '../../../libs/lock/src/primitives/locks/read-lock.js';
import type { WriteLock } from '../../../libs/lock/src/primitives/locks/write-lock.js';
import type { Lease } from '../../../libs/lock/src/engine/holding/lease.js';
import type { Share } from '../../../libs/testkit/src/history/history-event.js';
import type { Prng } from '../world/prng.js';
import type { LockKindName, Scenario } from '../world/scenario.js';

/** What a task may lock, whatever its kind. */
export interface LockTarget {
  readonly kind: LockKindName;
  readonly resource: string;
  /** What of it a lease has; absent: all. */
  readonly share: Share | undefined;
  /** True if leases have tokens, and no foreign client holds it. */
  readonly isFenced: boolean;
  readonly isReentrant: boolean;
  /** Open frames of the call chain. */
  depth(): number;
  acquire(options: CallOptions): Promise<Lease>;
  tryAcquire(): Promise<Lease | null>;
  run(fn: (lease: Lease) => Promise<void>, options: CallOptions): Promise<void>;
}

/** The locks of a scenario, as one process has them. */
export class Locks {
  readonly #targets: readonly (readonly LockTarget[])[];

  constructor(bedrock: Bedrock, scenario: Scenario) {
    this.#targets = scenario.kinds.map((kind) => targetsOf(kind, bedrock, scenario));
  }

  /** One of them; of a read-write lock either side, of a semaphore some permits. */
  pick(prng: Prng): LockTarget {
    return prng.pick(prng.pick(this.#targets));
  }
}

/** All ways to use a lock, the more frequent more often. */
function targetsOf(kind: LockKindName, bedrock: Bedrock, { permits, fencing }: Scenario): LockTarget[] {
  const base = { kind, resource: kind, share: undefined, isFenced: fencing, isReentrant: true };
  switch (kind) {
    case 'mutex':
    case 'fairMutex': {
      const lock = bedrock[kind](kind);
      return [{ ...base, ...methodsOf(lock), depth: () => lock.depth }];
    }
    case 'readWriteLock': {
      const { read, write } = bedrock.readWriteLock(kind);
      const sideOf = (side: ReadLock | WriteLock, units: number): LockTarget => {
        const share = { units, capacity: READERS };
        return { ...base, ...methodsOf(side), share, isFenced: units > 1, depth: () => side.depth };
      };
      const [reading, writing] = [sideOf(read, 1), sideOf(write, READERS)];
      return [reading, reading, reading, writing, writing];
    }
    case 'semaphore': {
      const semaphore = bedrock.semaphore(kind, { permits });
      return Array.from({ length: permits }, (_, i): LockTarget => {
        const units = i + 1;
        return {
          ...base,
          share: { units, capacity: permits },
          isFenced: false,
          isReentrant: false,
          depth: () => 0,
          acquire: (options) => semaphore.acquire({ ...options, permits: units }),
          tryAcquire: () => semaphore.tryAcquire({ permits: units }),
          run: (fn, options) => semaphore.run(fn, { ...options, permits: units }),
        };
      });
    }
  }
}

interface LockMethods {
  acquire(options: CallOptions): Promise<Lease>;
  tryAcquire(): Promise<Lease | null>;
  run(fn: (lease: Lease) => Promise<void>, options: CallOptions): Promise<void>;
}

function methodsOf(lock: LockMethods): LockMethods {
  return {
    acquire: (options) => lock.acquire(options),
    tryAcquire: () => lock.tryAcquire(),
    run: (fn, options) => lock.run(fn, options),
  };
}
