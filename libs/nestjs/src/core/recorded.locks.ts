import type { KeyPart } from 'bedrock-lock';

/**
 * A lock that was asked for: by a call of a method with `@DistributedLock()`, once for each of its locks, or by hand of a lock that
 * was injected.
 */
export interface RecordedCall {
  /** As `Orders.place()`; by hand as `Mutex.run()`. */
  readonly method: string;
  /** The registered name. */
  readonly lock: string;
  /** The parts of the key; none for the whole lock. */
  readonly key: readonly KeyPart[];
}

/** A request that was run under a key. */
export interface RecordedRequest {
  /** The registered name. */
  readonly idempotency: string;
  readonly operation: string | undefined;
  readonly scope: string | number | undefined;
  readonly key: string;
}

/** What was locked in a test, and with which key. */
export class RecordedLocks {
  /** In the order of the calls. */
  readonly calls: RecordedCall[] = [];
  /** Of `@Idempotent()` and of injected idempotency, in their order. */
  readonly requests: RecordedRequest[] = [];

  /** The keys under which this lock was taken, each as one text with colons. */
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
