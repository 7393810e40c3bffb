/** Names a record and who made it. */
export interface RecordRef {
  readonly resource: string;
  /** Of one run or of one token alone, in all processes. */
  readonly owner: string;
}

/** A record that is to be made. */
export interface RecordStart extends RecordRef {
  /** What the request was; '' where that does not matter. */
  readonly fingerprint: string;
  /** Life from the backend's receipt, in ms, unless it is renewed or completed. */
  readonly leaseMs: number;
  /** Monotonic local ms after which the backend must refuse this very request as stale; a new send gets a new one. */
  readonly notAfter: number;
}

/** A record as it stands. */
export interface RecordView {
  readonly owner: string;
  readonly fingerprint: string;
  /** What its owner left; undefined while it is in flight. */
  readonly value: string | undefined;
  readonly remainingMs: number;
}
