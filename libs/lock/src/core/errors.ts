import type { HolderView } from './claim.js';

/** Base of every error of the library. `code` is stable; `resource` names what was to be locked. */
export abstract class LockError extends Error {
  abstract readonly code: string;

  constructor(
    message: string,
    /** Full resource name; empty where no resource is concerned. */
    readonly resource: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

const BRAND = Symbol.for('bedrock-lock.error');
Object.defineProperty(LockError.prototype, BRAND, { value: true });

/** Like `instanceof LockError`, and true for the errors of another copy of this package too. */
export function isLockError(error: unknown): error is LockError {
  return error instanceof Error && BRAND in error;
}

/** The lock was not granted within `waitMs`. */
export class LockWaitTimeoutError extends LockError {
  readonly code = 'LOCK_WAIT_TIMEOUT';
  constructor(
    resource: string,
    readonly waitedMs: number,
    readonly holder?: HolderView,
    /** What was still missing where no holder stands in the way, as text: `1 of 3 permits is free`. */
    readonly lack?: string,
  ) {
    super(
      `"${resource}" was not granted in ${Math.round(waitedMs)} ms${heldBy(holder, lack)}; raise waitMs or shorten the holder's work`,
      resource,
    );
  }
}

/** The lock is taken and the caller did not want to wait (`waitMs: 0`). */
export class LockBusyError extends LockError {
  readonly code = 'LOCK_BUSY';
  constructor(
    resource: string,
    readonly holder?: HolderView,
    /** See {@link LockWaitTimeoutError.lack}. */
    readonly lack?: string,
  ) {
    super(`"${resource}" is busy${heldBy(holder, lack)}; set waitMs to wait for it`, resource);
  }
}

/** The caller's `signal` aborted while it waited. `cause` is the signal's reason. */
export class LockAbortedError extends LockError {
  readonly code = 'LOCK_ABORTED';
  constructor(resource: string, options?: ErrorOptions) {
    super(`waiting for "${resource}" was aborted by its signal`, resource, options);
  }
}

/** The backend refuses renewals to this lease, which ends at its present deadline; until then it is held. */
export class LockRevokedError extends LockError {
  readonly code = 'LOCK_REVOKED';
  constructor(
    resource: string,
    /** Life that is left, in ms. */
    readonly remainingMs: number,
  ) {
    super(
      `"${resource}" was revoked and is not renewed any more; finish within ${Math.round(remainingMs)} ms`,
      resource,
    );
  }
}

/** Why a lease ended before its release. */
export type LossReason = 'expired' | 'taken' | 'revoked' | 'maxHold' | 'suspended' | 'closed';

/** The lease ended before the work did: another process may already hold the lock. */
export class LockLostError extends LockError {
  readonly code = 'LOCK_LOST';
  constructor(
    resource: string,
    readonly reason: LossReason,
    readonly heldMs: number,
  ) {
    super(`"${resource}" was lost after ${Math.round(heldMs)} ms: ${LOSS_ADVICE[reason]}`, resource);
  }
}

const LOSS_ADVICE: Record<LossReason, string> = {
  expired: 'its lease ended without a confirmed renewal; check the backend and long synchronous work',
  taken: 'the backend no longer has this holder; its data was lost or the lock was released by force',
  revoked: 'it was revoked, so its renewals were refused',
  maxHold: 'maxHoldMs is over; shorten the work or raise maxHoldMs',
  suspended: 'the system slept, so the lease may have ended meanwhile',
  closed: 'the lock service was closed before the work ended; raise the grace period',
};

/** `unlock()` or `assertHeld()` without a hold. */
export class LockNotHeldError extends LockError {
  readonly code = 'LOCK_NOT_HELD';
  constructor(resource: string) {
    super(`"${resource}" is not held here: it was not locked, or was given back before`, resource);
  }
}

/** The lock is held, but by another flow: only the flow that locked may unlock. */
export class LockNotOwnerError extends LockError {
  readonly code = 'LOCK_NOT_OWNER';
  constructor(resource: string) {
    super(`"${resource}" belongs to another holder; only the flow that locked it may unlock it`, resource);
  }
}

/** A frame of this very call chain holds the lock, so waiting for it would never end. */
export class LockSelfDeadlockError extends LockError {
  readonly code = 'LOCK_SELF_DEADLOCK';
  constructor(resource: string, advice = 'use run() with reentrant: true instead') {
    super(`this call chain already holds "${resource}" and would wait for itself; ${advice}`, resource);
  }
}

/** Why the signal of a leader's term aborts when leadership is to be given up. */
export class LeadershipResignedError extends LockError {
  readonly code = 'LEADERSHIP_RESIGNED';
  constructor(resource: string) {
    super(
      `leadership of "${resource}" is given up: end the body of this term, so that others can lead`,
      resource,
    );
  }
}

/** A frame of this very call chain reads, and the chain asks to write: it would wait for its own reading to end. */
export class LockUpgradeError extends LockError {
  readonly code = 'LOCK_UPGRADE';
  constructor(resource: string) {
    super(
      `this call chain reads "${resource}", so to write it would wait for itself; end the reading first, or write from the beginning: a writer may read`,
      resource,
    );
  }
}

/** `lock()`, `tryLock()` and `unlock()` need an explicit flow around them. */
export class LockFlowRequiredError extends LockError {
  readonly code = 'LOCK_FLOW_REQUIRED';
  constructor(resource: string) {
    super(
      `lock()/unlock() on "${resource}" need a flow: wrap the work in runInFlow(fn), or use run(fn)`,
      resource,
    );
  }
}

/** Too many callers wait already: the bound is `maxWaiters` (per resource) or `maxWaitersPerProcess`. */
export class QueueFullError extends LockError {
  readonly code = 'QUEUE_FULL';
  constructor(
    resource: string,
    readonly limit: 'maxWaiters' | 'maxWaitersPerProcess',
    readonly max: number,
  ) {
    super(`${max} callers already wait for "${resource}" (${limit}); shed load or raise ${limit}`, resource);
  }
}

/** The backend gave no usable answer. `cause` is the client's own error. */
export class BackendUnavailableError extends LockError {
  readonly code = 'BACKEND_UNAVAILABLE';
  constructor(
    readonly backend: string,
    /** What went wrong, without the backend's name. */
    readonly detail: string,
    /**
     * `no`: the server certainly did nothing. `unknown`: it may have acted. `yes`: it acted, but
     * the result does not count and is withdrawn.
     */
    readonly executed: 'no' | 'unknown' | 'yes',
    options?: ErrorOptions & { resource?: string; retryInMs?: number },
  ) {
    super(`${backend} is unavailable: ${detail}`, options?.resource ?? '', options);
    if (options?.retryInMs !== undefined) this.retryInMs = options.retryInMs;
  }

  /** After how many ms it may serve again, when it said so. */
  readonly retryInMs?: number;
}

/** The key of the resource holds another type: a lock of another type, or foreign data. */
export class LockTypeMismatchError extends LockError {
  readonly code = 'LOCK_TYPE_MISMATCH';
  constructor(
    resource: string,
    /** What the key holds. */
    readonly detail: string,
  ) {
    super(
      `"${resource}" is in use for something else (${detail}); give the lock a name of its own`,
      resource,
    );
  }
}

/** The backend cannot serve this kind of lock or option. */
export class UnsupportedByBackendError extends LockError {
  readonly code = 'LOCK_UNSUPPORTED';
  constructor(
    readonly backend: string,
    readonly feature: string,
    advice: string,
  ) {
    super(`${backend} does not support ${feature}; ${advice}`, '');
  }
}

/** A wrong option or argument. `field` names it. */
export class InvalidOptionError extends LockError {
  readonly code = 'INVALID_OPTION';
  constructor(
    readonly field: string,
    requirement: string,
    received: unknown,
  ) {
    super(`${field} must be ${requirement}; got ${describe(received)}`, '');
  }
}

/** The lock service is closing or closed. */
export class LockClosedError extends LockError {
  readonly code = 'LOCK_CLOSED';
  constructor(resource = '') {
    super(
      resource === ''
        ? 'the lock service is closed'
        : `"${resource}" was not granted: the lock service is closing`,
      resource,
    );
  }
}

function heldBy(holder: HolderView | undefined, lack: string | undefined): string {
  if (holder === undefined) return lack === undefined ? '' : ` (${lack})`;
  const where = holder.process
    ? `${holder.process.label ?? 'process'} ${holder.process.pid}@${holder.process.host}`
    : `${holder.id.slice(0, 8)}…`;
  const node = holder.node === undefined ? '' : ` on ${holder.node}`;
  return ` (held by ${where}${node}, ${lifeOf(holder.remainingMs)})`;
}

function lifeOf(remainingMs: number): string {
  return remainingMs === Infinity
    ? 'never expires'
    : `lease ends in ${Math.max(0, Math.round(remainingMs))} ms`;
}

/** A short, safe picture of any value: never calls user code, never longer than about 60 characters. */
export function describe(value: unknown): string {
  if (typeof value === 'string') {
    const shown = value.length > 40 ? `${value.slice(0, 40)}… (${value.length} characters)` : value;
    return JSON.stringify(shown);
  }
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (typeof value === 'bigint') return `${value}n`.slice(0, 60);
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value === 'function') return 'a function';
  return Array.isArray(value) ? 'an array' : 'an object';
}
