import { LockError } from './errors.js';

/** The key was used before, for another request. */
export class IdempotencyMismatchError extends LockError {
  readonly code = 'IDEMPOTENCY_MISMATCH';
  constructor(resource: string) {
    super(
      `"${resource}" belongs to a request with another payload; give every request a key of its own`,
      resource,
    );
  }
}

/** The first request under the key has not ended yet. */
export class IdempotencyInFlightError extends LockError {
  readonly code = 'IDEMPOTENCY_IN_FLIGHT';
  constructor(
    resource: string,
    /** When its lease ends, unless it is renewed, in ms. */
    readonly remainingMs: number,
  ) {
    super(
      `the first request under "${resource}" is still in flight; ask again later, or set waitMs`,
      resource,
    );
  }
}

/**
 * The record was lost while the body ran: another run may have taken over, so that the result of
 * this one does not count.
 */
export class IdempotencyLostError extends LockError {
  readonly code = 'IDEMPOTENCY_LOST';
  constructor(resource: string, options?: ErrorOptions) {
    super(`the record "${resource}" was lost during its run; raise leaseMs`, resource, options);
  }
}

/** The request was completed, but its result cannot be given again. It is not run again either. */
export class IdempotencyResultError extends LockError {
  readonly code = 'IDEMPOTENCY_RESULT';
  constructor(
    resource: string,
    /** `tooLarge`, `notSerializable`: it was not stored. `unreadable`: no key decrypts it, or it was changed. */
    readonly reason: 'tooLarge' | 'notSerializable' | 'unreadable',
  ) {
    super(
      `the request under "${resource}" was completed, but its result is not at hand (${reason})`,
      resource,
    );
  }
}
