import type { ClaimRef } from '../../core/claim.js';
import type { LineSession, OwnPlace } from './line-store.js';

/**
 * asking: no answer yet, or none that counts. waiting: in line. granted. kept: nobody's, in line for the next claim of this
 * process. leaving: its place, if there is one, is to be removed, and nobody is granted it any more.
 */
export type Phase = 'asking' | 'waiting' | 'granted' | 'kept' | 'leaving';

/** What this process knows of one of its claims. */
export class LineRecord {
  phase: Phase = 'asking';
  place: OwnPlace | undefined;
  /** A place may have been made in this session without an answer. */
  doubt: LineSession | undefined;
  /** End of the grant, monotonic ms: not before any instant until which its holder may believe in it. */
  until = 0;
  /** When the claim was asked for last, or its place was kept; monotonic ms. */
  seenAt = 0;
  token = 0;
  tokens = 0;
  /** Its id is never granted again. */
  isWithdrawn = false;
  /** Somebody who stood in its way has left. One function, so that it is called once however often it asks. */
  onGone: (() => void) | undefined;
  /** Renewals under way: their answers may move the end. */
  renewals = 0;
  #last: Promise<unknown> = Promise.resolve();
  #turns = 0;

  constructor(readonly ref: ClaimRef) {}

  /** Something about it is under way. */
  get isBusy(): boolean {
    return this.#turns > 0 || this.renewals > 0;
  }

  /** The server has nothing of it. */
  get isGone(): boolean {
    return this.place === undefined && this.doubt === undefined;
  }

  /** It is held by the clock of this process. */
  isHeldAt(now: number): boolean {
    return this.phase === 'granted' && this.place !== undefined && now < this.until;
  }

  /**
   * Its place has ended; its tokens too, since others may have been given greater ones before it asks again. What is in doubt
   * stays so: it may live by another session.
   */
  forget(): void {
    this.place = undefined;
    this.token = 0;
    this.tokens = 0;
    if (this.phase !== 'leaving') this.phase = 'asking';
  }

  /** One after the other: what is asked for a claim depends on what was answered before. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#turns += 1;
    const turn = this.#last.then(work).finally(() => (this.#turns -= 1));
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
