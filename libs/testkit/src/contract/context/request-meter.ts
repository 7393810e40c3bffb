import type { Backend } from 'bedrock-lock';

/**
 * What costs requests, each counted over all processes that take part, with what follows in the background.
 * - `cycle`: an uncontended acquire and its release; of a latch to set it, to count it down and to pass it.
 * - `reentry`: to enter and leave once more what the call chain holds.
 * - `handOver`: from the release by one process until another, which waits, holds it for its whole lease.
 * - `renewal`: one lease that is renewed.
 * - `giveUp`: a caller that finds it held, waits, and leaves in vain.
 */
export type RoundTripStep = 'cycle' | 'reentry' | 'handOver' | 'renewal' | 'giveUp';

/** A primitive whose requests are counted, as `Bedrock` names it. */
export type CountedPrimitive =
  | 'mutex'
  | 'fairMutex'
  | 'multiLock'
  | 'readLock'
  | 'writeLock'
  | 'semaphore'
  | 'countdownLatch'
  | 'countingSemaphore'
  | 'expirableSemaphore'
  | 'idempotency';

/** Requests of a waiter that polls: the moment decides how many. */
export interface CostRange {
  readonly least: number;
  readonly most: number;
  /** Polls of the waiter before a hand-over: by then its pauses are at their longest, and few meet the release. @default 0 */
  readonly afterPolls?: number;
  readonly why: string;
}

/** Requests of each step; a step that the primitive does not have is left out. */
export type StepCosts = Readonly<Partial<Record<RoundTripStep, number | CostRange>>>;

/** Requests of each primitive; one that the backend does not have is left out. */
export type RoundTripCosts = Readonly<Partial<Record<CountedPrimitive, StepCosts>>>;

/** Counts the requests of backends where they reach the server, and says how many there must be. */
export interface RequestMeter {
  readonly costs: RoundTripCosts;
  /** False where `Backend.commands` leaves some out. @default true */
  readonly isReported?: boolean;
  /** As `ContractHarness.backend`; its requests are counted. */
  backend(): Promise<Backend>;
  /** Requests of all these backends that have reached the server so far. */
  requests(): number;
}
