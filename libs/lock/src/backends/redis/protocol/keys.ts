import { slotOf, hashTagFor } from './slot.js';
import { encodeText } from './resp-encoding.js';

/** The fencing counter: one for the whole database, or for each slot of a cluster; kept for ever. */
export const TOKEN_KEY = 'bedrock_token';
/** Redisson's counter of an RFencedLock; kept for ever. */
const FENCED_TOKEN_PREFIX = 'redisson_lock_token';
/** Names the run of the server whose data are known; only with `restartGuard`, kept for ever. */
export const GUARD_KEY = 'bedrock_guard';
/** The longest lease of the guarded processes. */
export const GUARD_LEASE_KEY = 'bedrock_guard_lease';
/** Field of a lock's hash: its grant gets no renewals any more. */
export const REVOKED_FIELD = 'bedrock_revoked';
/** Field of a lock's hash: it is a read-write lock of Redisson. */
export const MODE_FIELD = 'mode';

const WAKE_CHANNEL = 'bedrock_wake:';
const CACHE_SIZE = 4_096;

/** The keys of one resource, as the scripts of its kind take them. */
export interface LockKeys {
  /** As RESP, in the order of the scripts. */
  readonly encoded: string;
  /** Redisson's fencing counter of the lock. */
  readonly token: string;
}

/** Where fencing tokens come from. */
export interface TokenSource {
  /** Tokens of a lock come from a counter of its own, Redisson's. */
  readonly isPerLock: boolean;
  /** The counter of all locks that can stand in one call with this one, as RESP. */
  sharedCounter(resource: string): string;
}

export function tokenSource(isPerLock: boolean, isSharded: boolean): TokenSource {
  const single = encodeText(TOKEN_KEY);
  if (!isSharded) return { isPerLock, sharedCounter: () => single };
  // What one script touches is in one slot. A counter per lock would stay for ever for each that there ever was.
  return {
    isPerLock,
    sharedCounter: (resource) => encodeText(`${TOKEN_KEY}:{${hashTagFor(slotOf(resource))}}`),
  };
}

/** What Redisson puts behind the prefix of a name: one that contains a brace carries its own hash tag, any other becomes one. */
export function tagged(lock: string): string {
  return lock.includes('{') ? lock : `{${lock}}`;
}

/** The same for names of Bedrock: two colons keep the queue of `{x}` apart from that of `x`. */
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
    // Joined, not concatenated: what is kept is one flat text.
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

  /** Whoever of Bedrock listens to the channel of the lock, listens here too: so the others can be counted. */
  get bedrockChannel(): string {
    return `bedrock_lock__channel:${tagged(this.lock)}`;
  }
}

/** Who is behind `bedrock_process:<id>`: JSON, gone a minute after its last sign. */
export function processKey(processId: string): string {
  return `bedrock_process:${processId}`;
}

/** Wakes (`+resource`), grants (`=…`) and revocations (`!resource`) for one process alone. */
export function processChannel(processId: string): string {
  return `${WAKE_CHANNEL}${processId}`;
}

export function isProcessChannel(channel: string): boolean {
  return channel.startsWith(WAKE_CHANNEL);
}

/** Where a cluster wakes and grants to a process that waits for this lock: in the slot of the lock. */
export function wakeChannel(lock: string, processId: string): string {
  return `${WAKE_CHANNEL}${tagged(lock)}:${processId}`;
}

/** The process part of a claim id or of Redisson's `<uuid>:<thread>`. */
export function processOf(claimId: string): string {
  const end = claimId.indexOf(':');
  return end < 0 ? claimId : claimId.slice(0, end);
}

/** Where a record of idempotency is: never where a lock of the same name is. */
export function recordKey(resource: string): string {
  return `bedrock_record${bedrockTag(resource)}`;
}

/** The lock that a new connection tries itself with. @param tag of a slot of this server, in a cluster */
export function probeKeys(
  processId: string,
  tag?: string,
): readonly [lock: string, queue: string, asks: string, token: string] {
  const tagPrefix = tag === undefined ? '' : `{${tag}}:`;
  const { lock, queue, asks } = new ResourceKeys(`bedrock_probe:${tagPrefix}${processId}`);
  return [lock, queue, asks, `${lock}:token`];
}

/** Names per resource. Cached, since building them anew for every claim costs more than all else on the way. */
export class KeyCache<K extends LockKeys> {
  readonly #keys = new Map<string, K>();

  constructor(private readonly keysOf: (resource: string) => K) {}

  of(resource: string): K {
    let keys = this.#keys.get(resource);
    if (keys === undefined) {
      // Names without end (a lock per order) must not fill the memory; the few hot ones are back at once.
      if (this.#keys.size >= CACHE_SIZE) this.#keys.clear();
      keys = this.keysOf(resource);
      this.#keys.set(resource, keys);
    }
    return keys;
  }
}
