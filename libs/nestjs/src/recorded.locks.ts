import type { KeyPart } from 'bedrock-lock';

/** A call of a method with `@DistributedLock()`, for each lock that it was under. */
export interface RecordedCall {
  /** As `Orders.place()`. */
  readonly method: string;
  /** The registered name. */
  readonly lock: string;
  /** The parts of the key; none for the whole lock. */
  readonly key: readonly KeyPart[];
}

/** What was locked in a test, and with which key. */
export class RecordedLocks {
  /** In the order of the calls. */
  readonly calls: RecordedCall[] = [];

  /** The keys under which this lock was taken, each as one text with colons. */
  keysOf(lock: string): readonly string[] {
    return this.calls.filter((call) => call.lock === lock).map(({ key }) => key.join(':'));
  }

  clear(): void {
    this.calls.length = 0;
  }
}
