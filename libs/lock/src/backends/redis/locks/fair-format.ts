import { FAIR_MUTEX } from '../../../core/claim.js';
import { fencingCounter, bedrockTag, tagged, type LockKeys } from '../protocol/keys.js';
import { FAIR_CLAIM, FAIR_REVOKE, FAIR_WITHDRAW } from '../protocol/script.js';
import { encodeText } from '../protocol/resp-encoding.js';
import type { MutexFormat } from './mutex-protocol.js';

/** The names that belong to a fair mutex. */
class FairMutexKeys implements LockKeys {
  readonly encoded: string;

  constructor(readonly lock: string) {
    this.encoded = this.all.map(encodeText).join('');
  }

  /** Lock, queue and times are Redisson's; the requests of its claims are Bedrock's. */
  get all(): readonly string[] {
    const { lock } = this;
    const tag = tagged(lock);
    return [
      lock,
      `redisson_lock_queue:${tag}`,
      `redisson_lock_timeout:${tag}`,
      `bedrock_fair${bedrockTag(lock)}`,
    ];
  }

  get token(): string {
    return fencingCounter(this.lock);
  }
}

/** Redisson's RFairLock: its queue holds the claims of all processes in order of arrival. */
export const FAIR_MUTEX_FORMAT: MutexFormat = {
  shape: FAIR_MUTEX,
  claim: FAIR_CLAIM,
  withdraw: FAIR_WITHDRAW,
  revoke: FAIR_REVOKE,
  keysOfItem: 4,
  keysOf: (resource) => new FairMutexKeys(resource),
  revokedKeys: (resource) => new FairMutexKeys(resource).all,
  channels: () => [],
  // Redisson wakes each waiter on a channel of its own.
  claimChannelPrefix: (resource, processId) => `redisson_lock__channel:${tagged(resource)}:${processId}:`,
};
