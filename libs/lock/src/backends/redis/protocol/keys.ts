import { slotOf, hashTagFor } from './slot.js';
import { encodeText } from './resp-encoding.js';

/**
 * The fencing counter: one for the whole database, or for each slot of a cluster. It never expires.
 */
export const TOKEN_KEY = 'bedrock_token';
/** Redisson's counter of an RFencedLock. It never expires. */
const FENCED_TOKEN_PREFIX = 'redisson_lock_token';
/**
 * Holds the run id of the server whose data are intact. Only with `restartGuard`; never expires.
 */
export const GUARD_KEY = 'bedrock_guard';
/** The longest lease that the guarded processes agreed on. */
export const GUARD_LEASE_KEY = 'bedrock_guard_lease';
/** Field of a lock's hash: the grant can no longer be renewed. */
export const REVOKED_FIELD = 'bedrock_revoked';
/** Field of a lock's hash that marks a read-write lock of Redisson. */
export const MODE_FIELD = 'mode';

/** The beginning of the keys that describe processes. */
export const PROCESS_KEYS = 'bedrock_process:';
const WAKE_CHANNEL = 'bedrock_wake:';
const CACHE_SIZE = 4_096;

/** The keys of one resource, as the scripts of its kind take them. */
export interface LockKeys {
  /** As RESP, in the order that the scripts expect. */
  readonly encoded: string;
  /** Redisson's fencing counter of the lock. */
  readonly token: string;
}

/** Where fencing tokens come from. */
export interface TokenSource {
  /** Each lock has a token counter of its own: Redisson's. */
  readonly isPerLock: boolean;
  /** The counter of all locks that may share a call with this one, as RESP. */
  sharedCounter(resource: string): string;
}

export function tokenSource(isPerLock: boolean, isSharded: boolean): TokenSource {
  const single = encodeText(TOKEN_KEY);
  if (!isSharded) return { isPerLock, sharedCounter: () => single };
  // A script may touch one slot only, so each slot has a counter. A counter per lock would pile up,
  // since it never expires.
  return {
    isPerLock,
    sharedCounter: (resource) => encodeText(`${TOKEN_KEY}:{${hashTagFor(slotOf(resource))}}`),
  };
}

/**
 * Redisson's suffix for the keys of a name. A name with a brace brings its own hash tag; any other
 * becomes one.
 */
export function tagged(lock: string): string {
  return lock.includes('{') ? lock : `{${lock}}`;
}

/** The suffix for Bedrock's keys: two colons keep the queue of `{x}` apart from that of `x`. */
export function bedrockTag(lock: string): string {
  return lock.includes('{') ? `::${lock}` : `:{${lock}}`;
}

/** Redisson's fencing counter of a lock. */
export function fencingCounter(lock: string): string {
  return `${FENCED_TOKEN_PREFIX}:${tagged(lock)}`;
}

/** The names that belong to a mutex. */
export class ResourceKeys implements LockKeys {
  /** Lock, queue and asks, as RESP. */
  readonly encoded: string;

  constructor(
    /** Redisson's RLock: the resource verbatim. */
    readonly lock: string,
  ) {
    // Joined, not concatenated, so that the cached text is flat.
    this.encoded = [encodeText(lock), encodeText(this.queue), encodeText(this.asks)].join('');
  }

  get queue(): string {
    return `bedrock_order${bedrockTag(this.lock)}`;
  }

  get asks(): string {
    return `bedrock_asks${bedrockTag(this.lock)}`;
  }

  get token(): string {
    return fencingCounter(this.lock);
  }

  /** Redisson's channel of the lock. */
  get channel(): string {
    return `redisson_lock__channel:${tagged(this.lock)}`;
  }

  /**
   * Bedrock clients that listen to the channel of the lock listen here too. Comparing the two
   * counts reveals foreign clients.
   */
  get bedrockChannel(): string {
    return `bedrock_lock__channel:${tagged(this.lock)}`;
  }
}

/** Describes the process behind an id, as JSON; expires a minute after the last heartbeat. */
export function processKey(processId: string): string {
  return PROCESS_KEYS + processId;
}

/** The reverse of {@link processKey}. */
export function processIdIn(key: string): string {
  return key.slice(PROCESS_KEYS.length);
}

/**
 * For this process alone: wakes (`+resource`), wakes of a fair claim (`*…`), grants (`=…`) and revocations (`!resource`).
 */
export function processChannel(processId: string): string {
  return `${WAKE_CHANNEL}${processId}`;
}

export function isProcessChannel(channel: string): boolean {
  return channel.startsWith(WAKE_CHANNEL);
}

/**
 * Where a cluster wakes a process that waits for this lock, or grants to it: in the slot of the
 * lock.
 */
export function wakeChannel(lock: string, processId: string): string {
  return `${WAKE_CHANNEL}${tagged(lock)}:${processId}`;
}

/** The process part of a claim id or of Redisson's `<uuid>:<thread>`. */
export function processOf(claimId: string): string {
  const end = claimId.indexOf(':');
  return end < 0 ? claimId : claimId.slice(0, end);
}

/** The key of an idempotency record, which never collides with a lock of the same name. */
export function recordKey(resource: string): string {
  return `bedrock_record${bedrockTag(resource)}`;
}

/** The lock that probes a new connection. @param tag in a cluster: of a slot of this server */
export function probeKeys(
  processId: string,
  tag?: string,
): readonly [lock: string, queue: string, asks: string, token: string] {
  const tagPrefix = tag === undefined ? '' : `{${tag}}:`;
  const { lock, queue, asks } = new ResourceKeys(`bedrock_probe:${tagPrefix}${processId}`);
  return [lock, queue, asks, `${lock}:token`];
}

/**
 * Names per resource. Cached, since building them for every claim costs more than all other steps.
 */
export class KeyCache<K extends LockKeys> {
  readonly #keys = new Map<string, K>();

  constructor(private readonly keysOf: (resource: string) => K) {}

  of(resource: string): K {
    let keys = this.#keys.get(resource);
    if (keys === undefined) {
      // Unbounded names (a lock per order) must not fill the memory; the few hot ones return at
      // once.
      if (this.#keys.size >= CACHE_SIZE) this.#keys.clear();
      keys = this.keysOf(resource);
      this.#keys.set(resource, keys);
    }
    return keys;
  }
}
