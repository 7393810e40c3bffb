/** Invariants of the safety promise that a history can break. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I7' | 'I9';

export interface Violation {
  readonly invariant: Invariant;
  /** ms of CLOCK_MONOTONIC; 0 if the invariant concerns the whole history. */
  readonly at: number;
  readonly text: string;
}

export interface HistoryLimits {
  /** Latest loss event after the end of the lease, in ms, with a free event loop. @default 50 */
  readonly lossMs?: number;
  /** Latest settling of a call after its deadline, in ms, with a free event loop. @default 100 */
  readonly settleMs?: number;
  /** Longest release, in ms (the backend's `operationTimeoutMs` and some slack). @default not checked */
  readonly releaseMs?: number;
  /** 99 % of the hand-overs to a waiting caller take at most this long, in ms. @default not checked */
  readonly handOverMs?: number;
  /** Most turns of others that begin while a caller waits; for a reader, turns of writers. @default not checked */
  readonly turns?: TurnBound;
}

/**
 * Turns are counted, not timed, since a slow machine makes each of them longer. About `most` of them begin in `inMs`.
 * As many again are allowed for each such time that one of the processes was stalled meanwhile, and four times as many
 * at most.
 */
export interface TurnBound {
  readonly most: number;
  readonly inMs: number;
}
