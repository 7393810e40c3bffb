import { MUTEX } from '../../../core/claim.js';
import { ResourceKeys } from '../protocol/keys.js';
import { CLAIM, CLAIM_ALL, REVOKE, WITHDRAW } from '../protocol/script.js';
import type { MutexFormat } from './mutex-kind.js';

/** Redisson's RLock, with a line of processes beside it. */
export const PLAIN: MutexFormat = {
  shape: MUTEX,
  claim: CLAIM,
  claimAll: CLAIM_ALL,
  withdraw: WITHDRAW,
  revoke: REVOKE,
  keysOfItem: 3,
  keysOf: (resource) => new ResourceKeys(resource),
  revokedKeys(resource) {
    const { lock, line, asks } = new ResourceKeys(resource);
    return [lock, line, asks];
  },
  channels(resource) {
    const { channel, census } = new ResourceKeys(resource);
    return [channel, census];
  },
};
