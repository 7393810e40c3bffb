import type { KeyPart } from 'bedrock-lock';
import { LockRecorder } from 'bedrock-lock/integration';
import { types } from 'node:util';

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

/**
 * Records the locks and keys of a test, with waits and holds. The label of a wait or hold is the decorated
 * method, `Orders.place()`, or the direct call on an injected lock, `Mutex.run()`.
 */
export class RecordedLocks extends LockRecorder {
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

  override clear(): void {
    super.clear();
    this.calls.length = 0;
    this.requests.length = 0;
  }

  /**
   * @internal Runs the body of a method that takes no locks in this test, and records holds as if it did: until
   * its promise has settled; for a stream until it was returned.
   */
  runAsHeld(calls: readonly RecordedCall[], body: () => unknown): unknown {
    const ends = calls.map(({ method, lock, key }) =>
      this.recordHold({ lock, key: key.join(':'), label: method }),
    );
    const end = (): void => {
      for (const endOne of ends) endOne();
    };
    let result: unknown;
    try {
      result = body();
    } catch (error) {
      end();
      throw error;
    }
    // A lazy query is a thenable, too: `then()` would send it.
    if (types.isPromise(result)) void result.then(end, end);
    else end();
    return result;
  }
}
