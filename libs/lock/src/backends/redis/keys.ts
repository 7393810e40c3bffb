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
export interface ResourceKeys {
  /** Redisson's RLock: the resource verbatim. */
  readonly lock: string;
  readonly line: string;
  readonly signs: string;
  /** Redisson's fencing counter of the lock. */
  readonly token: string;
  /** Redisson's channel of the lock. */
  readonly channel: string;
  /** Lock, line and signs, as RESP. */
  readonly wire: string;
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

/** The names of the lock that a new connection tries itself with. */
export function probeKeys(processId: string): ResourceKeys {
  const lock = `bedrock_probe:${processId}`;
  return { ...keysOf(lock), token: `${lock}:token` };
}

/** Names per resource. Cached, since building them anew for every claim costs more than all else on the way. */
export class KeyRing {
  readonly #cache = new Map<string, ResourceKeys>();

  of(resource: string): ResourceKeys {
    let keys = this.#cache.get(resource);
    if (keys === undefined) {
      // Names without end (a lock per order) must not fill the memory; the few hot ones are back at once.
      if (this.#cache.size >= CACHE_SIZE) this.#cache.clear();
      keys = keysOf(resource);
      this.#cache.set(resource, keys);
    }
    return keys;
  }
}

function keysOf(resource: string): ResourceKeys {
  // Redisson's rule: a name that contains a brace carries its own hash tag, any other becomes one.
  const isTagged = resource.includes('{');
  const tagged = isTagged ? resource : `{${resource}}`;
  // Two colons keep the line of `{x}` apart from that of `x`.
  const separator = isTagged ? '::' : ':';
  const line = `bedrock_order${separator}${tagged}`;
  const signs = `bedrock_alive${separator}${tagged}`;
  return {
    lock: resource,
    line,
    signs,
    wire: name(resource) + name(line) + name(signs),
    token: `${FENCED_TOKEN_PREFIX}:${tagged}`,
    channel: `redisson_lock__channel:${tagged}`,
  };
}
