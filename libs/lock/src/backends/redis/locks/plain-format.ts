import { MUTEX } from '../../../core/claim.js';
import { ResourceKeys } from '../protocol/keys.js';
import { CLAIM, CLAIM_ALL, REVOKE, WITHDRAW } from '../protocol/script.js';
import type { MutexFormat } from './mutex-protocol.js';

/** Redisson's RLock, with a queue of processes beside it. */
export const PLAIN_MUTEX_FORMAT: MutexFormat = {
  shape: MUTEX,
  claim: CLAIM,
  claimAll: CLAIM_ALL,
  withdraw: WITHDRAW,
  revoke: REVOKE,
  keysOfItem: 3,
  keysOf: (resource) => new ResourceKeys(resource),
  revokedKeys(resource) {
    const { lock, queue, asks } = new ResourceKeys(resource);
    return [lock, queue, asks];
  },
  channels(resource) {
    const { channel, bedrockChannel } = new ResourceKeys(resource);
    return [channel, bedrockChannel];
  },
};
