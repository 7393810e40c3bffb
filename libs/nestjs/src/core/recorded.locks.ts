import type { KeyPart } from 'bedrock-lock';

/**
 * A requested lock: one entry for each lock of a decorated method's call, or for each direct call on an injected lock.
 */
export interface RecordedCall {
  /** As `Orders.place()`; for a direct call as `Mutex.run()`. */
  readonly method: string;
  /** The registered name. */
  readonly lock: string;
  /** The parts of the key; empty for the whole lock. */
  readonly key: readonly KeyPart[];
}

/** A request that ran under an idempotency key. */
export interface RecordedRequest {
  /** The registered name. */
  readonly idempotency: string;
  readonly operation: string | undefined;
  readonly scope: string | number | undefined;
  readonly key: string;
}

/** Records the locks and keys of a test. */
export class RecordedLocks {
  /** In call order. */
  readonly calls: RecordedCall[] = [];
  /** Requests of `@Idempotent()` and of injected idempotency, in call order. */
  readonly requests: RecordedRequest[] = [];

  /** The keys of this lock's calls, each as one text with colons. */
  keysOf(lock: string): readonly string[] {
    return this.calls.filter((call) => call.lock === lock).map(({ key }) => key.join(':'));
  }

  /** The keys of the requests under this idempotency. */
  requestsOf(idempotency: string): readonly string[] {
    return this.requests.filter((request) => request.idempotency === idempotency).map(({ key }) => key);
  }

  clear(): void {
    this.calls.length = 0;
    this.requests.length = 0;
  }
}
