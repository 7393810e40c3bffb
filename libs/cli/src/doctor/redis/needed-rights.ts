import type { Purpose } from './settings-checks.js';

/**
 * What a user of Redis has to be allowed, with a call of each kind: the recipes of docs/backends/redis.md, which a test compares. Every
 * user may call HELLO.
 */
export interface NeededRights {
  /** The feature that needs them. */
  readonly group: string;
  /** No lock can be taken without them. */
  readonly isForLocks: boolean;
  /** Rules of keys and channels with an example of each. */
  readonly patterns: readonly (readonly [rule: string, example: string])[];
  /** Commands, each with arguments; `KEY` stands for a key, and `CHANNEL` for a channel, that the rules allow. */
  readonly commands: readonly (readonly [rule: string, ...call: string[]])[];
}

/** The rights that locks with this prefix need. @param prefix beginning of the names of locks */
export function neededRights(prefix: string, purpose: Purpose): readonly NeededRights[] {
  const lock = `${prefix}bedrock-doctor`;
  const tag = lock.includes('{') ? lock : `{${lock}}`;
  const rights = [locks(prefix, lock, tag), SETTINGS, lockTokens(tag), furtherKinds(prefix, tag), OPERATORS];
  return purpose === 'cluster' ? [...rights, CLUSTER] : rights;
}

function locks(prefix: string, lock: string, tag: string): NeededRights {
  return {
    group: 'locks',
    isForLocks: true,
    patterns: [
      [`~${prefix}*`, lock],
      ['~bedrock_*', `bedrock_order:${tag}`],
      ['&redisson_lock__channel:*', `redisson_lock__channel:${tag}`],
      ['&bedrock_lock__channel:*', `bedrock_lock__channel:${tag}`],
      ['&bedrock_wake:*', 'bedrock_wake:doctor'],
    ],
    commands: [
      ['+client', 'client', 'setname', 'doctor'],
      ['+ping', 'ping'],
      ['+time', 'time'],
      ['+evalsha', 'evalsha', 'ffffffffffffffffffffffffffffffffffffffff', '0'],
      ['+eval', 'eval', 'return 1', '0'],
      ['+script|load', 'script', 'load', 'return 1'],
      ['+subscribe', 'subscribe', 'CHANNEL'],
      ['+unsubscribe', 'unsubscribe', 'CHANNEL'],
      ['+publish', 'publish', 'CHANNEL', ''],
      ['+pubsub|numsub', 'pubsub', 'numsub', 'CHANNEL'],
      ['+hset', 'hset', 'KEY', 'f', '1'],
      ['+hmget', 'hmget', 'KEY', 'f'],
      ['+hdel', 'hdel', 'KEY', 'f'],
      ['+hlen', 'hlen', 'KEY'],
      ['+hexists', 'hexists', 'KEY', 'f'],
      ['+hgetall', 'hgetall', 'KEY'],
      ['+hkeys', 'hkeys', 'KEY'],
      ['+hscan', 'hscan', 'KEY', '0'],
      ['+exists', 'exists', 'KEY'],
      ['+del', 'del', 'KEY'],
      ['+get', 'get', 'KEY'],
      ['+set', 'set', 'KEY', '1'],
      ['+getset', 'getset', 'KEY', '1'],
      ['+pexpire', 'pexpire', 'KEY', '1'],
      ['+pexpireat', 'pexpireat', 'KEY', '1'],
      ['+pttl', 'pttl', 'KEY'],
      ['+hget', 'hget', 'KEY', 'f'],
      ['+lindex', 'lindex', 'KEY', '0'],
      ['+lpop', 'lpop', 'KEY'],
      ['+rpush', 'rpush', 'KEY', '1'],
      ['+lrem', 'lrem', 'KEY', '0', '1'],
    ],
  };
}

/** Without them there are locks, but a warning, and no guard. */
const SETTINGS: NeededRights = {
  group: 'eviction warnings and restartGuard',
  isForLocks: false,
  patterns: [],
  commands: [['+info', 'info']],
};

function lockTokens(tag: string): NeededRights {
  return {
    group: "tokens: 'perLock'",
    isForLocks: false,
    patterns: [['~redisson_lock_token:*', `redisson_lock_token:${tag}`]],
    commands: [],
  };
}

function furtherKinds(prefix: string, tag: string): NeededRights {
  return {
    group: 'fair mutexes, read-write locks, latches and all semaphores',
    isForLocks: false,
    patterns: [
      [`~{${prefix}*`, `${tag}:bedrock`],
      ['~redisson_lock_queue:*', `redisson_lock_queue:${tag}`],
      ['~redisson_lock_timeout:*', `redisson_lock_timeout:${tag}`],
      ['&redisson_rwlock:*', `redisson_rwlock:${tag}`],
      ['&bedrock_rwlock:*', `bedrock_rwlock:${tag}`],
      ['&redisson_countdownlatch__channel__*', `redisson_countdownlatch__channel__${tag}`],
      ['&redisson_sc:*', `redisson_sc:${tag}`],
    ],
    commands: [
      ['+hincrby', 'hincrby', 'KEY', 'f', '1'],
      ['+incrby', 'incrby', 'KEY', '1'],
      ['+decrby', 'decrby', 'KEY', '1'],
      ['+zadd', 'zadd', 'KEY', '1', 'm'],
      ['+zincrby', 'zincrby', 'KEY', '1', 'm'],
      ['+zrem', 'zrem', 'KEY', 'm'],
      ['+zscore', 'zscore', 'KEY', 'm'],
      ['+zrange', 'zrange', 'KEY', '0', '0'],
      ['+zrangebyscore', 'zrangebyscore', 'KEY', '0', '1'],
      ['+zremrangebyscore', 'zremrangebyscore', 'KEY', '0', '1'],
    ],
  };
}

const OPERATORS: NeededRights = {
  group: 'bedrock ls, watch, processes and others that look at all locks',
  isForLocks: false,
  patterns: [],
  commands: [
    ['+scan', 'scan', '0'],
    ['+type', 'type', 'KEY'],
    ['+llen', 'llen', 'KEY'],
  ],
};

const CLUSTER: NeededRights = {
  group: 'locks on a cluster',
  isForLocks: true,
  patterns: [],
  commands: [
    ['+cluster|slots', 'cluster', 'slots'],
    ['+asking', 'asking'],
    ['+ssubscribe', 'ssubscribe', 'CHANNEL'],
    ['+sunsubscribe', 'sunsubscribe', 'CHANNEL'],
    ['+spublish', 'spublish', 'CHANNEL', ''],
    ['+pubsub|shardnumsub', 'pubsub', 'shardnumsub', 'CHANNEL'],
  ],
};
