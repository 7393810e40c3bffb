/** The invariants of the safety promise that a history can break. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I7' | 'I9';

export interface Violation {
  readonly invariant: Invariant;
  /** ms of CLOCK_MONOTONIC; 0 where an invariant is about the whole history. */
  readonly at: number;
  readonly text: string;
}

export interface HistoryLimits {
  /** The loss event comes this long after the end of the lease at the latest, the loop being free. @default 50 */
  readonly lossMs?: number;
  /** A call settles this long after its deadline at the latest, the loop being free. @default 100 */
  readonly settleMs?: number;
  /** A release settles within this time (the backend's `operationTimeoutMs` and some slack). @default not checked */
  readonly releaseMs?: number;
  /** 99 % of the hand-overs to a caller that waits take at most this long. @default not checked */
  readonly handOverMs?: number;
  /** How many turns of others begin while a caller waits, at most; for a reader, turns of writers. @default not checked */
  readonly turns?: TurnBound;
}

/**
 * Turns are counted and not timed, since a slow machine makes each of them longer. `most` of them begin in `inMs` or so: as many
 * again are allowed for each such time that one of the processes was stalled meanwhile, and four times as many at most.
 */
export interface TurnBound {
  readonly most: number;
  readonly inMs: number;
}
