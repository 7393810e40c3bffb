import type { ClaimRef } from '../../core/claim.js';
import { SerialExecutor } from '../../runtime/serial-executor.js';
import type { QueueSession, OwnEntry } from './queue-store.js';

/**
 * asking: no answer yet, or none that counts. waiting: in the queue. granted. kept: unowned, queued
 * for the next claim of this process. leaving: its entry, if there is one, is to be removed, and it
 * is not granted any more.
 */
export type ClaimPhase = 'asking' | 'waiting' | 'granted' | 'kept' | 'leaving';

/** What this process knows of one of its claims. */
export class QueuedClaim {
  phase: ClaimPhase = 'asking';
  entry: OwnEntry | undefined;
  /** An entry may have been made in this session without an answer. */
  unconfirmedIn: QueueSession | undefined;
  /** End of the grant, monotonic ms: not before any instant until which its holder may believe in it. */
  expiresAt = 0;
  /** When the claim was asked for last, or its entry was kept; monotonic ms. */
  seenAt = 0;
  token = 0;
  tokens = 0;
  /** Its id is never granted again. */
  isWithdrawn = false;
  /** An entry that blocked it has left. One function, so that it is called once however often it asks. */
  onBlockerDeleted: (() => void) | undefined;
  /** Renewals in flight: their answers may move the end. */
  renewalsInFlight = 0;
  /** Requests about it run in order: each depends on the previous answer. */
  readonly requests = new SerialExecutor();

  constructor(readonly ref: ClaimRef) {}

  /** A request about it is in flight. */
  get isBusy(): boolean {
    return !this.requests.isIdle || this.renewalsInFlight > 0;
  }

  /** The server has nothing of it. */
  get isGone(): boolean {
    return this.entry === undefined && this.unconfirmedIn === undefined;
  }

  /** It is held by the clock of this process. */
  isHeldAt(now: number): boolean {
    return this.phase === 'granted' && this.entry !== undefined && now < this.expiresAt;
  }

  /**
   * Its entry has ended. Its tokens end too, since others may get greater ones before it asks
   * again. An unconfirmed entry stays unconfirmed: it may live in another session.
   */
  entryEnded(): void {
    this.entry = undefined;
    this.token = 0;
    this.tokens = 0;
    if (this.phase !== 'leaving') this.phase = 'asking';
  }
}
