import { LockError } from 'bedrock-lock';

/** A decorated method was called on an object without a lock service. The method did not run. */
export class LockUnboundError extends LockError {
  readonly code = 'LOCK_UNBOUND';
  constructor(
    /** The method, as `Orders.place()`. */
    readonly method: string,
  ) {
    super(
      `${method} cannot be locked: Nest did not create this object, or is still constructing it; ` +
        'call bedrock.bind(obj) of BedrockService after creating it',
      '',
    );
  }
}
