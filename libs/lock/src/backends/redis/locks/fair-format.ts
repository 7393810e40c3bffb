import { FAIR_MUTEX } from '../../../core/claim.js';
import { fencingCounter, ownTag, tagged, type LockKeys } from '../protocol/keys.js';
import { FAIR_CLAIM, FAIR_REVOKE, FAIR_WITHDRAW } from '../protocol/script.js';
import { name } from '../protocol/wire.js';
import type { MutexFormat } from './mutex-kind.js';

/** The names that belong to a fair mutex. */
class FairKeys implements LockKeys {
  readonly wire: string;

  constructor(readonly lock: string) {
    this.wire = this.all.map(name).join('');
  }

  /** Lock, queue and times are Redisson's; what its claims ask for is Bedrock's. */
  get all(): readonly string[] {
    const { lock } = this;
    const tag = tagged(lock);
    return [
      lock,
      `redisson_lock_queue:${tag}`,
      `redisson_lock_timeout:${tag}`,
      `bedrock_fair${ownTag(lock)}`,
    ];
  }

  get token(): string {
    return fencingCounter(this.lock);
  }
}

/** Redisson's RFairLock: its queue holds the claims of all processes in order of arrival. */
export const FAIR: MutexFormat = {
  shape: FAIR_MUTEX,
  claim: FAIR_CLAIM,
  withdraw: FAIR_WITHDRAW,
  revoke: FAIR_REVOKE,
  keysOfItem: 4,
  keysOf: (resource) => new FairKeys(resource),
  revokedKeys: (resource) => new FairKeys(resource).all,
  channels: () => [],
  // Redisson wakes each waiter on a channel of its own.
  claimChannels: (resource, processId) => `redisson_lock__channel:${tagged(resource)}:${processId}:`,
};
