import { name } from './wire.js';

/** The fencing counter: one for the whole database, kept for ever. */
export const TOKEN_KEY = 'bedrock_token';
/** Redisson's counter of an RFencedLock; kept for ever. */
const FENCED_TOKEN_PREFIX = 'redisson_lock_token';
/** Names the run of the server whose data are known; only with `restartGuard`, kept for ever. */
export const GUARD_KEY = 'bedrock_guard';
/** Field of a lock's hash: its grant gets no renewals any more. */
export const REVOKED_FIELD = 'bedrock_revoked';
/** Field of a lock's hash: it is a read-write lock of Redisson. */
export const MODE_FIELD = 'mode';

const CACHE_SIZE = 4_096;

/** The names that belong to one resource. */
export class ResourceKeys {
  /** Lock, line and signs, as RESP. */
  readonly wire: string;

  constructor(
    /** Redisson's RLock: the resource verbatim. */
    readonly lock: string,
  ) {
    // Joined, not concatenated: what is kept is one flat text.
    this.wire = [name(lock), name(this.line), name(this.signs)].join('');
  }

  get line(): string {
    return `bedrock_order${this.#tag}`;
  }

  get signs(): string {
    return `bedrock_alive${this.#tag}`;
  }

  /** Redisson's fencing counter of the lock. */
  get token(): string {
    return `${FENCED_TOKEN_PREFIX}:${this.#tagged}`;
  }

  /** Redisson's channel of the lock. */
  get channel(): string {
    return `redisson_lock__channel:${this.#tagged}`;
  }

  // Redisson's rule: a name that contains a brace carries its own hash tag, any other becomes one.
  get #tagged(): string {
    return this.lock.includes('{') ? this.lock : `{${this.lock}}`;
  }

  // Two colons keep the line of `{x}` apart from that of `x`.
  get #tag(): string {
    return this.lock.includes('{') ? `::${this.lock}` : `:{${this.lock}}`;
  }
}

/** Who is behind `bedrock_process:<id>`: JSON, gone a minute after its last sign. */
export function processKey(processId: string): string {
  return `bedrock_process:${processId}`;
}

/** Wakes (`+resource`) and doubts (`!resource`) for one process alone. */
export function processChannel(processId: string): string {
  return `bedrock_wake:${processId}`;
}

/** The process part of a claim id or of Redisson's `<uuid>:<thread>`. */
export function processOf(claimId: string): string {
  const end = claimId.indexOf(':');
  return end < 0 ? claimId : claimId.slice(0, end);
}

/** The lock that a new connection tries itself with. */
export function probeKeys(
  processId: string,
): readonly [lock: string, line: string, signs: string, token: string] {
  const { lock, line, signs } = new ResourceKeys(`bedrock_probe:${processId}`);
  return [lock, line, signs, `${lock}:token`];
}

/** Names per resource. Cached, since building them anew for every claim costs more than all else on the way. */
export class KeyRing {
  readonly #cache = new Map<string, ResourceKeys>();

  of(resource: string): ResourceKeys {
    let keys = this.#cache.get(resource);
    if (keys === undefined) {
      // Names without end (a lock per order) must not fill the memory; the few hot ones are back at once.
      if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
      keys = new ResourceKeys(resource);
      this.#cache.set(resource, keys);
    }
    return keys;
  }
}
